import type { BuildEventAnswer, BuildPlanAnswer } from '@seaplane/api/answers';
import { expect, test } from 'vitest';
import { applyEvent, type BuildSteps } from './apply-event.ts';
import { textOf } from './log/log-line.ts';
import { type LeafStep, type Step, stepsOf } from './steps.ts';

type Plan = BuildPlanAnswer['plan'];

const task = (id: string, name: string): Plan => ({ id, task: { name, privileged: false, hermetic: false } });
const PLAN: Plan = {
  id: '1',
  on_failure: {
    step: {
      id: '2',
      do: [
        { id: '3', in_parallel: { steps: [{ id: '4', get: { name: 'repo', type: 'git' } }, task('5', 'lint')] } },
        { id: '6', retry: [task('7', 'flaky'), task('8', 'flaky')] },
        { id: '9', across: { vars: [{ name: 'os' }, { name: 'arch' }] } },
        { id: '10', timeout: { step: { id: '11', try: { step: task('12', 'slow') } }, duration: '1m' } },
      ],
    },
    on_failure: { id: '13', set_pipeline: { name: 'self', team: '', instance_vars: null } },
  },
};

function start(plan: Plan = PLAN): BuildSteps {
  const index = new Map<string, Step>();
  return { root: stepsOf(plan, index), index, status: undefined };
}

let count = 0;
function send(steps: BuildSteps, event: string, data: object): void {
  count += 1;
  applyEvent(steps, { event, data, version: '1.0', event_id: String(count) } as unknown as BuildEventAnswer);
}

/** The tree in short: the names of leaves, and lists for groups with the label first. */
function outline(step: Step): unknown {
  if (step.kind === 'leaf') return step.name;
  const inside = step.children.map(outline);
  return step.label === undefined ? inside : [step.label, ...inside];
}

const leaf = (steps: BuildSteps, id: string) => steps.index.get(id) as LeafStep;
const at = (id: string, time = 1) => ({ origin: { id }, time });

test('[UI-STEP1] the steps follow the plan', () => {
  expect(outline(start().root)).toEqual([
    [
      ['in parallel', 'repo', 'lint'],
      [
        ['attempt 1 of 2', 'flaky'],
        ['attempt 2 of 2', 'flaky'],
      ],
      ['across os, arch'],
      ['timeout after 1m', ['try', 'slow']],
    ],
    ['on failure', 'self'],
  ]);
});

test('[UI-STEP1] every hook has its name', () => {
  for (const hook of ['on_success', 'on_failure', 'on_error', 'on_abort', 'ensure'] as const) {
    const plan = { id: '1', [hook]: { step: task('2', 'a'), [hook]: task('3', 'b') } } as unknown as Plan;
    expect(outline(start(plan).root)).toEqual(['a', [hook.replace('_', ' '), 'b']]);
  }
});

test('[UI-STEP1] the get after a put is not called a hook', () => {
  const put = { id: '2', put: { name: 'image', type: 'registry-image' } };
  const plan = (name: string) =>
    ({ id: '1', on_success: { step: put, on_success: { id: '3', get: { name, type: 'registry-image' } } } }) as Plan;
  expect(outline(start(plan('image')).root)).toEqual(['image', ['then gets it', 'image']]);
  expect(outline(start(plan('other')).root)).toEqual(['image', ['on success', 'other']]);
});

test('[UI-STEP3] a step of an aborted build is interrupted, and did not go wrong', () => {
  const steps = start();
  send(steps, 'start-task', at('5'));
  send(steps, 'error', { ...at('5', 3), message: 'interrupted' });
  send(steps, 'status', { status: 'aborted', time: 4 });
  expect(leaf(steps, '5')).toMatchObject({ state: 'interrupted', finishedAt: 3, errors: ['interrupted'] });
});

test('[UI-STEP3] an upload and what is kept have no events: a green build had them', () => {
  const plan = { id: '1', do: [{ id: '2', artifact_input: { artifact_id: 7, name: 'here' } }, task('3', 'x')] } as Plan;
  for (const [status, state] of [
    ['succeeded', 'succeeded'],
    ['errored', 'skipped'],
  ]) {
    const steps = start(plan);
    send(steps, 'status', { status, time: 4 });
    expect(leaf(steps, '2').state).toBe(state);
    expect(leaf(steps, '3').state).toBe('skipped');
  }
});

test('[UI-STEP2] events set state, times, status, version, metadata and log', () => {
  const steps = start();
  send(steps, 'initialize-get', at('4', 10));
  expect(leaf(steps, '4')).toMatchObject({ state: 'running', initializedAt: 10 });
  send(steps, 'start-get', at('4', 12));
  send(steps, 'log', { ...at('4', 13), payload: 'Cloning\n' });
  send(steps, 'finish-get', {
    ...at('4', 20),
    exit_status: 0,
    version: { ref: 'a' },
    metadata: [{ name: 'x', value: 'y' }],
  });
  expect(leaf(steps, '4')).toMatchObject({
    ...{ state: 'succeeded', initializedAt: 10, startedAt: 12, finishedAt: 20, exitStatus: 0 },
    ...{ version: { ref: 'a' }, metadata: [{ name: 'x', value: 'y' }] },
  });
  expect(leaf(steps, '4').log.lines.map(textOf)).toEqual(['Cloning']);
  send(steps, 'finish-task', { ...at('5'), exit_status: 2 });
  expect(leaf(steps, '5')).toMatchObject({ state: 'failed', exitStatus: 2 });
  send(steps, 'selected-worker', { ...at('7'), selected_worker: 'ci' });
  send(steps, 'error', { ...at('7', 30), message: 'no room' });
  expect(leaf(steps, '7')).toMatchObject({ state: 'errored', worker: 'ci', errors: ['no room'], finishedAt: 30 });
  send(steps, 'waiting-for-worker', at('12', 30));
  send(steps, 'streaming-volume', { ...at('12', 31), volume: 'v', source_worker: 'north', dest_worker: 'south' });
  send(steps, 'waiting-for-streamed-volume', { ...at('12', 32), volume: 'w', dest_worker: 'south' });
  expect(leaf(steps, '12').log.lines.map(textOf)).toEqual([
    'no suitable workers found, waiting for worker...',
    'streaming volume v from worker north',
    'waiting for volume w to be streamed by another step',
  ]);
  send(steps, 'set-pipeline-changed', { origin: { id: '13' }, changed: true });
  send(steps, 'finish', { ...at('13'), succeeded: true });
  expect(leaf(steps, '13')).toMatchObject({ state: 'succeeded', hasChanged: true });
  send(steps, 'error', { ...at('2'), message: 'of the group' });
  expect(steps.index.get('2')).toMatchObject({ errors: ['of the group'] });
});

test('[UI-STEP3] the end of the build ends its steps', () => {
  const steps = start();
  send(steps, 'start-task', at('5'));
  send(steps, 'status', { status: 'started', time: 1 });
  expect(leaf(steps, '5').state).toBe('running');
  send(steps, 'status', { status: 'aborted', time: 2 });
  expect(steps.status).toBe('aborted');
  expect(leaf(steps, '5').state).toBe('interrupted');
  expect(leaf(steps, '12').state).toBe('skipped');
});

test('[UI-STEP4] plans that come later are added, unknown events change nothing', () => {
  const steps = start();
  send(steps, 'image-get', { ...at('5'), plan: { id: 'i', get: { name: 'image', type: 'registry-image' } } });
  send(steps, 'log', { ...at('i'), payload: 'pulling' });
  expect(leaf(steps, '5').image.map(outline)).toEqual(['image']);
  expect(leaf(steps, 'i').log.lines.map(textOf)).toEqual(['pulling']);
  send(steps, 'across-substeps', { ...at('9'), substeps: [{ values: ['linux', 64], step: task('s', 'build') }] });
  expect(outline(steps.index.get('9') as Step)).toEqual(['across os, arch', ['linux, 64', 'build']]);
  const before = JSON.stringify(steps.root);
  send(steps, 'from-the-future', at('5'));
  send(steps, 'log', { ...at('nobody'), payload: 'x' });
  send(steps, 'strange', {});
  expect(JSON.stringify(steps.root)).toBe(before);
});
