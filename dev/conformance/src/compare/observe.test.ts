import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { observe } from './observe.ts';
import type { Side } from './side.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'observe-'));
});
afterEach(() => rm(directory, { recursive: true }));

/** A server that takes every pipeline, answers with this one, and starts builds that never end. */
function server(config: object): { readonly side: Side; readonly commands: string[] } {
  const commands: string[] = [];
  const answer = (text: string) => ({ code: 0, stdout: text, stderr: '' });
  const side: Side = {
    name: 'fake',
    fly: async (...args) => {
      commands.push(args.slice(0, 3).join(' '));
      return answer(args[0] === 'get-pipeline' ? JSON.stringify(config) : '[]');
    },
    get: async () => JSON.stringify([{ id: 7, name: '1', status: 'started' }]),
    find: async () => undefined,
    events: async () => '',
  };
  return { side, commands };
}

function look(side: Side) {
  const signal = AbortSignal.timeout(60_000);
  return observe({ side, directory, buildTimeoutMs: 0, signal }, { path: 'p.yml', name: 'p', text: '{}' });
}

test('[CONF26] jobs are not run where a type is missing, also that of an image', async () => {
  const image_resource = { type: 'registry-image', source: { type: 'not one' } };
  const { side, commands } = server({
    resource_types: [{ name: 'own', type: 'mock' }],
    resources: [{ name: 'r', type: 'own' }],
    jobs: [{ name: 'j', plan: [{ get: 'r' }, { task: 't', config: { image_resource } }] }],
  });
  expect(await look(side)).toMatchObject({ builds: 'not run: no worker has the type registry-image' });
  expect(commands).not.toContain('unpause-pipeline -p p');
});

test('[CONF26] a build that does not end is aborted', async () => {
  const { side, commands } = server({ jobs: [{ name: 'j', plan: [] }] });
  expect(await look(side)).toMatchObject({ builds: { j: 'did not end: started', 'j #1': { status: 'started' } } });
  expect(commands).toContain('trigger-job -j p/j');
  expect(commands).toContain('abort-build -b 7');
});

test('[CONF23] a refused pipeline is not read back', async () => {
  const { side, commands } = server({});
  const refuse: Side = { ...side, fly: async () => ({ code: 1, stdout: '', stderr: 'no' }) };
  expect(await look(refuse)).toEqual({ set: { accepted: false, stdout: '', stderr: 'no' } });
  expect(commands).toEqual([]);
});
