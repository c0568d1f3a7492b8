import { afterEach, beforeEach, expect, test } from 'vitest';
import { type TestBed, testBed } from '../testing/index.ts';
import { resource, SCRIPTS, task } from '../testing/mock-type.ts';
import { BUILD } from '../testing/test-bed.ts';
import { markUnread } from './inputs.ts';

let bed: TestBed;
beforeEach(() => {
  const build = async () => 0;
  bed = testBed({ ...SCRIPTS, build });
});
afterEach(() => bed[Symbol.asyncDispose]());

/** A task's output, and the sandbox that has it. */
async function makeOutput() {
  const outputs = [{ name: 'built', path: 'built' }];
  const made = await bed.orchestrator().task(bed.io('1'), { ...task, path: 'build', outputs });
  const [handle = ''] = await bed.host.list();
  return { handle, built: made.outputs['built'] ?? { id: '' } };
}

/** Something happens after a step has found where its inputs are, and before it loads them. */
function onceFound(happens: () => void): void {
  const find = bed.artifacts.sources.bind(bed.artifacts);
  bed.artifacts.sources = async (...args) => {
    await find(...args);
    happens();
    return [];
  };
}

const steps = {
  put: (built: { id: string }) => bed.orchestrator().put(bed.io('2'), { ...resource, inputs: { built } }),
  task: (built: { id: string }) => {
    const inputs = [{ name: 'built', path: 'built', artifact: built }];
    return bed.orchestrator().task(bed.io('2'), { ...task, path: 'build', inputs });
  },
};

test.each(['put', 'task'] as const)('[ORC-ART13] a %s says that its input has gone, and why', async (step) => {
  const { handle, built } = await makeOutput();
  // The watch hears of the loss later than the step that loads the input.
  onceFound(() => setTimeout(() => bed.host.fail(handle, 'the pod has ended'), 50));
  await expect(steps[step](built)).rejects.toMatchObject({
    code: 'artifact-gone',
    message: `the artifact ${built.id} has gone: its sandbox was lost before it was stored: the pod has ended. Run the build again`,
  });
});

test('[ORC-ART13] an input that is stored has not gone: the error says how loading failed', async () => {
  const { handle, built } = await makeOutput();
  await bed.artifacts.keep(built, BUILD.teamId, AbortSignal.timeout(10_000));
  onceFound(() => bed.host.fail(handle, 'the pod has ended'));
  const failed = { code: 'input-not-loaded', message: expect.stringMatching(/^no source answers/) };
  await expect(steps.put(built)).rejects.toMatchObject(failed);
});

test.each([
  ['nothing else', '/w/in', [], [], true],
  ['other directories', '/w/in', ['/w/other'], ['/w/out', '/w/in-2'], true],
  ['an output at its path', '/w/in', [], ['/w/in'], false],
  ['an output in it', '/w/in', [], ['/w/in/out'], false],
  ['an output around it', '/w/out/in', [], ['/w/out'], false],
  ['another input in it', '/w/in', ['/w/in/more'], [], false],
  ['another input around it', '/w/a/in', ['/w/a'], [], false],
  ['another input at its path', '/w/in', ['/w/in'], [], false],
] as const)('[ORC-ART18] an input beside %s', (_, path, others, made, mayShow) => {
  const input = (at: string) => ({ path: at, artifact: { id: at } });
  expect(markUnread([input(path), ...others.map(input)], made)[0]).toEqual({ ...input(path), mayShow });
});
