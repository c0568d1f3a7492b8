import { chmod, cp, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { DbError } from '../../errors.ts';
import type { Account } from '../account.ts';
import { runTool, type ToolResult } from '../server/run-tool.ts';
import { isReadOnly, linkLibraries, linkLibrariesInto } from './link-libraries.ts';
import { findPostgresPackage, type PostgresPackage } from './postgres-package.ts';

/** PostgreSQL's programs, in a place where the server's user can run them. */
export interface Installation {
  readonly postgres: string;
  readonly initdb: string;
  /** Needed to run them. */
  readonly env: NodeJS.ProcessEnv;
  /** `18.4` */
  readonly version: string;
  readonly majorVersion: string;
}

export interface InstallationRequest {
  readonly account: Account;
  /** A directory of ours, readable by the account, for what node_modules cannot give. Made when needed. */
  readonly softwareDirectory: string;
  /** For tests; by default the one for this platform. */
  readonly package?: PostgresPackage;
}

/**
 * Finds PostgreSQL in node_modules and makes sure that it runs as `account`. Two things can be in the way: libraries
 * that need links, in a node_modules we may not write to (the links are then made elsewhere), and a checkout that the
 * account may not read, such as one in /root (the programs are then copied, once a version).
 */
export async function prepareInstallation(request: InstallationRequest): Promise<Installation> {
  const source = request.package ?? (await findPostgresPackage());
  const inPlace = await useInPlace(source, request.softwareDirectory);
  const found = await probe(inPlace, request.account);
  if ('version' in found) return found;
  if (!request.account.dropped || !isPermissionProblem(found.failure)) throw unusable(inPlace, found.failure);

  const copied = await useCopy(source, request.softwareDirectory);
  const second = await probe(copied, request.account);
  if ('version' in second) return second;
  throw unusable(copied, second.failure);
}

type Candidate = Pick<Installation, 'postgres' | 'initdb' | 'env'>;

async function useInPlace(source: PostgresPackage, softwareDirectory: string): Promise<Candidate> {
  const programs = programsIn(join(source.root, 'native'));
  try {
    await linkLibraries(source.root);
    return { ...programs, env: {} };
  } catch (error) {
    if (!isReadOnly(error)) throw error;
  }
  const links = join(softwareDirectory, `${source.id}-links`);
  await mkdir(links, { recursive: true });
  await linkLibrariesInto(links, source.root);
  const variable = process.platform === 'darwin' ? 'DYLD_LIBRARY_PATH' : 'LD_LIBRARY_PATH';
  // The linked libraries need others, which lie where the links lead to.
  return { ...programs, env: { [variable]: [links, join(source.root, 'native', 'lib')].join(delimiter) } };
}

async function useCopy(source: PostgresPackage, softwareDirectory: string): Promise<Candidate> {
  const final = join(softwareDirectory, source.id);
  const programs = { ...programsIn(join(final, 'native')), env: {} };
  await mkdir(softwareDirectory, { recursive: true, mode: 0o755 });
  if ((await readdir(softwareDirectory)).includes(source.id)) return programs;
  // Copies of other versions, and what an interrupted copy left: we hold the directory's lock, so nobody uses them.
  for (const name of await readdir(softwareDirectory)) {
    await rm(join(softwareDirectory, name), { recursive: true, force: true });
  }
  const partial = `${final}.partial`;
  await cp(source.root, partial, { recursive: true, verbatimSymlinks: true });
  await linkLibraries(partial);
  await makeReadable(partial);
  await rename(partial, final);
  return programs;
}

function programsIn(native: string): Pick<Installation, 'postgres' | 'initdb'> {
  return { postgres: join(native, 'bin', 'postgres'), initdb: join(native, 'bin', 'initdb') };
}

async function makeReadable(directory: string): Promise<void> {
  await chmod(directory, 0o755);
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) await makeReadable(path);
    else if (entry.isFile()) await chmod(path, 0o755);
  }
}

/** Runs both programs: they need different libraries. */
async function probe(candidate: Candidate, account: Account): Promise<Installation | { readonly failure: ToolResult }> {
  const options = { account, env: candidate.env };
  const initdb = await runTool(candidate.initdb, ['--version'], options);
  if (initdb.code !== 0) return { failure: initdb };
  const postgres = await runTool(candidate.postgres, ['--version'], options);
  const version = /^postgres \(PostgreSQL\) ((\d+)\S*)/.exec(postgres.output);
  if (postgres.code !== 0 || !version?.[1] || !version[2]) return { failure: postgres };
  return { ...candidate, version: version[1], majorVersion: version[2] };
}

function isPermissionProblem(failure: ToolResult): boolean {
  return failure.error?.code === 'EACCES' || /Permission denied/.test(failure.output);
}

function unusable(candidate: Candidate, failure: ToolResult): DbError {
  const said =
    failure.output.trim() || failure.error?.message || `exit status ${failure.code ?? failure.signal ?? 'unknown'}`;
  // The file is there, so "no such file" speaks of the dynamic loader that it names: this system has another C library.
  const why = failure.error?.code === 'ENOENT' ? ' It is built for glibc; musl (Alpine) cannot run it.' : '';
  return new DbError(
    'binaries-unusable',
    `The embedded PostgreSQL does not run here (${candidate.postgres}): ${said}.${why} Set DATABASE_URL to a PostgreSQL server of your own.`,
    { cause: failure.error },
  );
}
