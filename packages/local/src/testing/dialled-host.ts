import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DialTaker, type OpenHost, systemClock } from '@seaplane/orchestrator';
import { createWebSocketStream, WebSocketServer } from 'ws';
import type { MachineKind } from '../remote/protocol.ts';
import { remoteKind } from '../remote/remote-kind.ts';
import { runRemoteWorker } from '../remote/remote-worker.ts';
import { resetLocal } from '../reset-local.ts';
import { testServices } from './test-host.ts';

export interface DialledHost extends AsyncDisposable {
  readonly host: OpenHost;
  /** Everything of the worker is there. */
  readonly directory: string;
}

/** A worker on this machine that dials its web, which is this process. */
export async function openDialledHost(machine: MachineKind): Promise<DialledHost> {
  const stack = new AsyncDisposableStack();
  const root = await mkdtemp(join(tmpdir(), 'remote-'));
  const [directory, key] = [join(root, 'data'), join(root, 'key')];
  stack.defer(() => rm(root, { recursive: true, force: true }));
  stack.defer(() => resetLocal(directory));
  await writeFile(key, 'k'.repeat(64));
  let taker: DialTaker | undefined;
  const onDial = (taking: DialTaker) => {
    taker = taking;
  };
  const config = { name: 'local', platform: machine.platform, tags: [], baseTypes: {} };
  const services = { ...(await testServices()), onDial };
  const server = new WebSocketServer({ port: 0 });
  server.on('connection', (socket) => taker?.answer(createWebSocketStream(socket)));
  await once(server, 'listening');
  stack.defer(() => server.close());
  const host = stack.use(remoteKind.open(config, { key, keptSandboxes: 50, machine }, services));
  const web = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const stop = new AbortController();
  const report = () => {};
  const options = { web, worker: 'local', keyFile: key, directory, machine, clock: systemClock, report };
  const running = runRemoteWorker(options, stop.signal);
  stack.defer(async () => {
    stop.abort();
    await running;
  });
  return { host, directory, [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose]() };
}
