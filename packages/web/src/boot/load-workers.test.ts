import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadWorkers } from './load-workers.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'targets-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

async function load(text: string) {
  const path = join(directory, 'targets.yml');
  await writeFile(path, text);
  return loadWorkers(path);
}

const PUBLISHED = expect.objectContaining({ git: { image: 'docker.io/concourse/git-resource', privileged: false } });
const TARGET = '{name: here, namespace: ci, kubeconfig: /k, images: {baggageclaim: b}}';

test('[TARGETS1] without a file there are no workers; with one, each entry is a worker', async () => {
  expect(await loadWorkers(undefined)).toEqual([]);
  for (const entry of [TARGET, TARGET.replace('{', '{kind: kubernetes, ')]) {
    expect((await load(`- ${entry}`)).map(({ config }) => config)).toEqual([
      { name: 'here', platform: 'linux', tags: [], baseTypes: PUBLISHED },
    ]);
  }
});

test('[TARGETS2] a mistake is reported with the file and the field', async () => {
  await expect(loadWorkers(join(directory, 'none.yml'))).rejects.toThrow(/none\.yml cannot be read/);
  await expect(load('{}')).rejects.toThrow('it must be a list of targets');
  await expect(load('- {name: here}')).rejects.toThrow(/targets\.yml: .*namespace/s);
  await expect(load('- {kind: nomad, name: here}')).rejects.toThrow('target.kind must be kubernetes');
  await expect(load(`- ${TARGET}\n- ${TARGET}`)).rejects.toThrow('two targets are called here');
});
