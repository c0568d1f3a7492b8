import { mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { EmbeddedPostgres } from '../embedded/embedded-postgres.ts';
import { FAST_SETTINGS, makeTemplate, type TestServer } from './test-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    readonly testServer: TestServer;
  }
}

/** Vitest's global setup: one server for the whole run, stopped and removed after it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(await fastDirectory(), 'seaplane-test-server-'));
  let server: EmbeddedPostgres | undefined;
  const teardown = async () => {
    await server?.stop();
    await rm(directory, { recursive: true, force: true });
  };
  try {
    server = await EmbeddedPostgres.start({ directory, settings: FAST_SETTINGS });
    project.provide('testServer', await makeTemplate(server.connection));
  } catch (error) {
    await teardown();
    throw error;
  }
  return teardown;
}

const MEMORY = '/dev/shm';
const ROOM_BYTES = 4 * 1024 ** 3;

/**
 * A directory in memory, where there is one with room. Every test clones a database and drops it, which is hundreds of
 * files made and removed; ext4 takes three times as long for that once many files were removed a moment ago.
 */
async function fastDirectory(): Promise<string> {
  const { bavail, bsize } = await statfs(MEMORY).catch(() => ({ bavail: 0, bsize: 0 }));
  return bavail * bsize >= ROOM_BYTES ? MEMORY : tmpdir();
}
