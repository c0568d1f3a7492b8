import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { EmbeddedPostgres } from '../embedded/embedded-postgres.ts';
import { makeTemplate, type TestServer } from './test-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    readonly testServer: TestServer;
  }
}

/** For tests the data need not survive anything. */
const FAST = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

/** Vitest's global setup: one server for the whole run, stopped and removed after it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), 'seaplane-test-server-'));
  const server = await EmbeddedPostgres.start({ directory, settings: FAST });
  project.provide('testServer', await makeTemplate(server.connection));
  return async () => {
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  };
}
