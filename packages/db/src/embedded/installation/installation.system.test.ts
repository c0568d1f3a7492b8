import { chmod, cp, lstat, mkdir, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type TemporaryDirectory, temporaryDirectory } from '../../testing/index.ts';
import type { Account } from '../account.ts';
import { prepareInstallation } from './installation.ts';
import { linkLibraries, linkLibrariesInto } from './link-libraries.ts';
import { findPostgresPackage, type PostgresPackage } from './postgres-package.ts';

const self: Account = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0, dropped: false };

let temporary: TemporaryDirectory;
/** PostgreSQL's package as npm unpacks it, without install scripts. */
let fresh: PostgresPackage;
let softwareDirectory: string;

async function links(root: string): Promise<{ source: string; target: string }[]> {
  return JSON.parse(await readFile(join(root, 'native', 'pg-symlinks.json'), 'utf8'));
}

beforeAll(async () => {
  temporary = await temporaryDirectory();
  const installed = await findPostgresPackage();
  fresh = { id: installed.id, root: join(temporary.path, 'package') };
  await cp(installed.root, fresh.root, { recursive: true, verbatimSymlinks: true });
});

beforeEach(async () => {
  for (const { target } of await links(fresh.root)) await rm(join(fresh.root, target), { force: true });
  softwareDirectory = join(temporary.path, 'software');
  await rm(softwareDirectory, { recursive: true, force: true });
});

afterAll(async () => {
  await temporary[Symbol.asyncDispose]();
});

test('[DB-EMB14] the programs run from node_modules as npm left them', async () => {
  const installation = await prepareInstallation({ account: self, softwareDirectory, package: fresh });
  expect(installation.postgres).toBe(join(fresh.root, 'native', 'bin', 'postgres'));
  expect(installation.version).toMatch(/^18\.\d+$/);
  expect(installation.majorVersion).toBe('18');
  await expect(readdir(softwareDirectory)).rejects.toThrow('ENOENT');
});

test('[DB-EMB14] links are made by several at once, and again, and dangling ones replaced', async () => {
  const [first] = await links(fresh.root);
  if (!first) throw new Error('the package lists no links');
  await symlink('nowhere', join(fresh.root, first.target));
  await Promise.all(Array.from({ length: 20 }, () => linkLibraries(fresh.root)));
  await linkLibraries(fresh.root);
  for (const { source, target } of await links(fresh.root)) {
    expect(await readlink(join(fresh.root, target))).toBe(basename(source));
  }
  const names = await readdir(join(fresh.root, 'native', 'lib'));
  expect(names.filter((name) => name.includes(`.${process.pid}.`))).toEqual([]); // nothing half-made remains
});

test('[DB-EMB14] the links can be in another directory', async () => {
  await mkdir(softwareDirectory);
  await linkLibrariesInto(softwareDirectory, fresh.root);
  for (const { source, target } of await links(fresh.root)) {
    expect(await readlink(join(softwareDirectory, basename(target)))).toBe(join(fresh.root, source));
    await expect(lstat(join(fresh.root, target))).rejects.toThrow('ENOENT');
  }
});

test('[DB-EMB13] an unknown platform is named, and DATABASE_URL offered', async () => {
  const found = findPostgresPackage('plan9', 'mips');
  await expect(found).rejects.toMatchObject({ code: 'platform-unsupported' });
  await expect(found).rejects.toThrow(/no embedded PostgreSQL for plan9-mips.*set DATABASE_URL/);
});

test('[DB-EMB13] binaries that do not run here are named with what they said, and DATABASE_URL offered', async () => {
  const root = join(temporary.path, 'broken');
  await mkdir(join(root, 'native', 'bin'), { recursive: true });
  await writeFile(join(root, 'native', 'pg-symlinks.json'), '[]');
  const write = async (text: string) => {
    for (const program of ['postgres', 'initdb']) {
      await writeFile(join(root, 'native', 'bin', program), text);
      await chmod(join(root, 'native', 'bin', program), 0o755);
    }
  };
  await write('#!/bin/sh\necho the library is missing; exit 127\n');
  const prepared = prepareInstallation({ account: self, softwareDirectory, package: { id: 'broken', root } });
  await expect(prepared).rejects.toMatchObject({ code: 'binaries-unusable' });
  await expect(prepared).rejects.toThrow(
    `(${join(root, 'native', 'bin', 'postgres')}): the library is missing. Set DATABASE_URL`,
  );

  await write('#!/lib/ld-of-another-libc\n');
  await expect(
    prepareInstallation({ account: self, softwareDirectory, package: { id: 'broken', root } }),
  ).rejects.toThrow('It is built for glibc; musl (Alpine) cannot run it. Set DATABASE_URL');
});
