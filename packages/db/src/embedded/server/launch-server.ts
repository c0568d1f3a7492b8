import { setTimeout as sleep } from 'node:timers/promises';
import { DbError } from '../../errors.ts';
import type { ServerDirectory } from '../directory/server-directory.ts';
import type { OnEmbeddedEvent } from '../embedded-event.ts';
import type { Installation } from '../installation/installation.ts';
import { clearLeftover } from './leftover-server.ts';
import { ServerProcess } from './server-process.ts';
import { type Settings, serverArguments } from './settings.ts';

/** Backends whose server was killed end as soon as they notice; until then PostgreSQL refuses to start. */
const BACKENDS_REMAIN = /pre-existing shared memory block .* is still in use/;
const BACKENDS_POLL_MS = 100;
const BACKENDS_WAIT_MS = 15_000;

export interface Launch {
  readonly directory: ServerDirectory;
  readonly installation: Installation;
  readonly settings: Settings;
  readonly onEvent: OnEmbeddedEvent;
  readonly signal?: AbortSignal | undefined;
}

/** Starts the server on an initialized directory, after any earlier one there is gone. Resolves when it is ready. */
export async function launchServer({
  directory,
  installation,
  settings,
  onEvent,
  signal,
}: Launch): Promise<ServerProcess> {
  const leftover = await clearLeftover(directory.data);
  if (leftover.stoppedPid) onEvent({ type: 'leftover-stopped', pid: leftover.stoppedPid });
  const deadline = performance.now() + BACKENDS_WAIT_MS;
  for (;;) {
    try {
      const server = await ServerProcess.start({
        postgres: installation.postgres,
        args: serverArguments(directory.data, directory.socketDirectory, settings),
        env: { ...installation.env, ...leftover.env },
        account: directory.account,
        onLog: (line) => onEvent({ type: 'log', ...line }),
        signal,
      });
      await directory.recordServer(server.pid).catch(() => {}); // for messages only
      onEvent({ type: 'ready', pid: server.pid, version: installation.version });
      return server;
    } catch (error) {
      const remain = error instanceof DbError && BACKENDS_REMAIN.test(error.message);
      if (!remain || performance.now() > deadline) throw error;
      await sleep(BACKENDS_POLL_MS, undefined, { signal }).catch(() => signal?.throwIfAborted());
    }
  }
}
