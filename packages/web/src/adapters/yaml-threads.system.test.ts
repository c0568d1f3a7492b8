import { parseYaml } from '@seaplane/config';
import { expect, test, vi } from 'vitest';
import { YamlThreads } from './yaml-threads.ts';

vi.setConfig({ testTimeout: 60_000 }); // a thread starts slowly on a busy machine

const never = new AbortController().signal;
const AMPLE = { memoryMiB: 512, seconds: 600 };
/** Takes hundreds of times its size in memory to parse. */
const EMPTY_LISTS = `a: [${'[],'.repeat(60_000)}]`;

function pipeline(jobs: number): string {
  return `id: 12345678901234567890\njobs:\n${Array.from({ length: jobs }, (_, n) => `- {name: job-${n}, plan: [{get: r, trigger: on}]}\n`).join('')}`;
}

test('[YAML1] a large document is read as a small one is', async () => {
  await using yaml = new YamlThreads(AMPLE);
  const [small, large] = [pipeline(1), pipeline(2200)];
  expect(large.length).toBeGreaterThan(100 * 1024);
  for (const text of [small, large]) {
    expect(JSON.stringify(await yaml.parse(text, never))).toBe(JSON.stringify(parseYaml(text)));
    const broken = yaml.parse(`${text}jobs: []`, never);
    await expect(broken).rejects.toMatchObject({
      code: 'invalid-yaml',
      message: expect.stringContaining('key "jobs" already set in map'),
    });
  }
  await expect(yaml.parse('['.repeat(110_000), never)).rejects.toMatchObject({ code: 'invalid-yaml' });
});

test('[YAML2] a document that takes too much memory or time is an error, and web goes on', async () => {
  await using small = new YamlThreads({ ...AMPLE, memoryMiB: 24 });
  await expect(small.parse(EMPTY_LISTS, never)).rejects.toMatchObject({
    code: 'invalid-yaml',
    message: 'yaml: this document of 180005 bytes takes more than 24 MiB of memory to parse; make it smaller',
  });
  await using quick = new YamlThreads({ ...AMPLE, seconds: 0.001 });
  await expect(quick.parse(EMPTY_LISTS, never)).rejects.toThrow('takes more than 0.001 seconds to parse');
  expect(await small.parse('a: 1', never)).toEqual({ a: 1 });
});

test('[YAML3] any number of large documents may come at once, and each can be given up', async () => {
  await using yaml = new YamlThreads(AMPLE);
  const text = pipeline(2200);
  const stop = new AbortController();
  const reading = Array.from({ length: 3 }, () => yaml.parse(text, never));
  const givenUp = [yaml.parse(EMPTY_LISTS, stop.signal), yaml.parse(EMPTY_LISTS, stop.signal)];
  const last = yaml.parse(text, never);
  stop.abort(new Error('enough'));
  expect(await Promise.allSettled(givenUp)).toEqual(
    givenUp.map(() => ({ status: 'rejected', reason: expect.objectContaining({ message: 'enough' }) })),
  );
  for (const document of [...reading, last]) expect(await document).toMatchObject({ id: expect.anything() });
});
