import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DialTaker, systemClock } from '@seaplane/orchestrator';
import { describeSandboxHost } from '@seaplane/orchestrator/testing';
import { describe } from 'vitest';
import { createWebSocketStream, WebSocketServer } from 'ws';
import { resetLocal } from '../reset-local.ts';
import { testServices, whyNoLocalHost } from '../testing/test-host.ts';
import { remoteKind } from './remote-kind.ts';
import { runRemoteWorker } from './remote-worker.ts';

describe.skipIf(whyNoLocalHost())('over a connection that a machine has dialled', () => {
  describeSandboxHost('the remote host', async () => {
    const stack = new AsyncDisposableStack();
    const root = await mkdtemp(join(tmpdir(), 'remote-'));
    const [directory, key] = [join(root, 'data'), join(root, 'key')];
    stack.defer(() => resetLocal(root));
    await writeFile(key, 'k'.repeat(64));
    let taker: DialTaker | undefined;
    const onDial = (taking: DialTaker) => {
      taker = taking;
    };
    const config = { name: 'local', platform: 'linux', tags: [], baseTypes: {} };
    const services = { ...(await testServices()), onDial };
    const server = new WebSocketServer({ port: 0 });
    server.on('connection', (socket) => taker?.answer(createWebSocketStream(socket)));
    await once(server, 'listening');
    stack.defer(() => server.close());
    const host = stack.use(remoteKind.open(config, { key, keptSandboxes: 50 }, services));
    const web = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const stop = new AbortController();
    const report = () => {};
    const options = { web, worker: 'local', keyFile: key, directory, clock: systemClock, report };
    const running = runRemoteWorker(options, stop.signal);
    stack.defer(async () => {
      stop.abort();
      await running;
    });
    return { host, image: 'host', [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose]() };
  });
});
