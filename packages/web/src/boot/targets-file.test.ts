import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { followTargets } from './targets-file.ts';

const entry = (name: string, rest = '') => `- {name: ${name}, namespace: ci, images: {baggageclaim: b}${rest}}\n`;

test('[TARGETS4] the file is read again when it has changed; a wrong entry does not keep the others from being used', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'seaplane-targets-'));
  try {
    const path = join(directory, 'targets.yml');
    const follow = followTargets(path, () => Promise.reject(new Error('nothing is opened')));
    const read = async () => {
      const changed = await follow();
      return (
        changed && {
          names: changed.targets?.map(({ name }) => name),
          mistakes: changed.mistakes.map(({ worker, error }) => [worker, error.message]),
          entries: changed.targets?.map((target) => target.entry),
        }
      );
    };
    const missing = await read();
    expect(missing).toMatchObject({
      names: undefined,
      mistakes: [[undefined, expect.stringContaining('cannot be read')]],
    });
    expect(await read()).toBeUndefined();
    await writeFile(path, entry('a') + entry('b'));
    const first = await read();
    expect(first).toMatchObject({ names: ['a', 'b'], mistakes: [] });
    expect(await read()).toBeUndefined();
    await writeFile(path, `# moved\n${entry('b', ', tags: [x]')}${entry('a')}${entry('c', ', colour: red')}`);
    const second = await read();
    expect(second?.names).toEqual(['b', 'a']);
    expect(second?.entries?.[1]).toBe(first?.entries?.[0]);
    expect(second?.entries?.[0]).not.toBe(first?.entries?.[1]);
    expect(second?.mistakes).toEqual([
      ['c', expect.stringMatching(`^The targets file ${path}: target has no field colour`)],
    ]);
    await writeFile(path, 'a: {');
    expect(await read()).toMatchObject({ names: undefined, mistakes: [[undefined, expect.stringContaining(path)]] });
  } finally {
    await rm(directory, { recursive: true });
  }
});
