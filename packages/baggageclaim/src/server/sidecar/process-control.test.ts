import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { SupervisorLink } from '../supervisor/supervisor-link.ts';
import type { Puller } from '../trees/pull.ts';
import { type Network, ProcessControl } from './process-control.ts';
import { Processes } from './processes.ts';
import { Volumes } from './volumes.ts';

let dir = '';
let processes: Processes;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'control-'));
  processes = await Processes.open(dir);
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const plain = { args: [], env: {}, user: '', tty: null, stdin: '', inputs: [], directories: [] };
const request = { id: 'p', attempt: '1', path: 'sh', dir: '/', ...plain };

/** In this network, with a supervisor that takes every process. */
async function controlIn(network: Network, puller = {} as Puller) {
  const started: string[] = [];
  const link = {
    connected: true,
    ready: async () => {},
    start: async ({ id }: { id: string }) => started.push(id) > 0,
  } as unknown as SupervisorLink;
  const volumes = await Volumes.open([{ path: '/build', at: dir }]);
  return { started, control: new ProcessControl({ processes, link, puller, volumes, network }) };
}

test('[BC34] no process starts before its network is proven closed', async () => {
  const proof = Promise.withResolvers<void>();
  let asked = () => {};
  const waiting = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const network = {
    proven() {
      asked();
      return proof.promise;
    },
  };
  const { control, started } = await controlIn(network);
  const start = control.start(request);
  await waiting;
  expect(started).toEqual([]);
  proof.resolve();
  await start;
  expect(started).toEqual(['p']);
});

test('[BC34] a process whose network stays open never starts, and its record says why', async () => {
  const { control, started } = await controlIn({ proven: async () => Promise.reject(new Error('it is open')) });
  await control.start(request);
  expect(started).toEqual([]);
  expect(processes.record('p')?.end).toEqual({ kind: 'not-started', cause: 'system', message: 'it is open' });
});

test('[BC10] a process that waits for its network can be stopped', async () => {
  const { control, started } = await controlIn({ proven: () => new Promise(() => {}) });
  const start = control.start(request);
  await control.signal({ id: 'p', signal: 'stop' });
  await start;
  expect(started).toEqual([]);
  expect(processes.record('p')?.end).toMatchObject({ kind: 'interrupted' });
});

test('[BC42] an input of a process that is not root is not shown: all its files get another owner', async () => {
  const asked: string[] = [];
  const puller = {
    showHere: async (_: unknown, at: string) => asked.push(at) > 0,
    copyHere: async () => true,
  } as unknown as Puller;
  const { control } = await controlIn({ proven: async () => {} }, puller);
  for (const [index, user] of ['', 'root', '0', '0:0', 'tester', '1000', '1000:0', '00'].entries()) {
    const inputs = [{ path: `/build/${index}`, from: [{ url: 'https://x/' }], mayShow: true }] as never;
    await control.start({ ...request, id: `p${index}`, user, inputs });
  }
  expect(asked).toEqual(['/build/0', '/build/1', '/build/2', '/build/3']);
});
