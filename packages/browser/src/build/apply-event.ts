import type { BuildEventAnswer } from '@seaplane/api/answers';
import type { BuildStatus } from '@seaplane/engine/events';
import { type LeafStep, leavesOf, type Step, stepsOf } from './steps.ts';

/** Everything known of a build: its steps, by the plan and all events so far. */
export interface BuildSteps {
  readonly root: Step;
  readonly index: Map<string, Step>;
  status: BuildStatus | undefined;
}

/** Changes the steps as an event says. An event of an unknown kind or an unknown step changes nothing. */
export function applyEvent(steps: BuildSteps, { event, data }: BuildEventAnswer): void {
  if (event === 'status') {
    applyStatus(steps, data.status);
    return;
  }
  const step = steps.index.get(data.origin?.id ?? '');
  if (!step) return;
  if (event === 'error') {
    applyError(step, data.message, data.time);
    return;
  }
  if (event === 'across-substeps' && step.kind === 'group') {
    for (const { step: plan, values } of data.substeps) {
      const label = values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join(', ');
      step.children.push({
        kind: 'group',
        id: `${plan.id}/across`,
        label,
        children: [stepsOf(plan, steps.index)],
        errors: [],
      });
    }
    return;
  }
  if (step.kind !== 'leaf') return;
  if (event === 'image-check' || event === 'image-get') step.image.push(stepsOf(data.plan, steps.index));
  else applyToLeaf(step, { event, data } as BuildEventAnswer);
}

function applyToLeaf(step: LeafStep, { event, data }: BuildEventAnswer): void {
  switch (event) {
    case 'initialize':
    case 'initialize-check':
    case 'initialize-get':
    case 'initialize-put':
    case 'initialize-task':
      step.state = 'running';
      step.initializedAt = data.time;
      break;
    case 'start':
    case 'start-get':
    case 'start-put':
    case 'start-task':
      step.state = 'running';
      step.startedAt = data.time;
      break;
    case 'finish':
      step.state = data.succeeded ? 'succeeded' : 'failed';
      step.finishedAt = data.time;
      break;
    case 'finish-task':
      finish(step, data.exit_status, data.time);
      break;
    case 'finish-get':
    case 'finish-put':
      finish(step, data.exit_status, data.time);
      if (data.version) step.version = data.version;
      if (data.metadata) step.metadata = data.metadata;
      break;
    case 'log':
      step.log.write(data.payload, data.time);
      break;
    case 'waiting-for-worker':
      step.hasWaited = true;
      step.log.write('no suitable workers found, waiting for worker...\r\n', data.time);
      break;
    case 'selected-worker':
      step.worker = data.selected_worker;
      step.workerAt = data.time;
      break;
    case 'streaming-volume':
      step.log.write(`streaming volume ${data.volume} from worker ${data.source_worker}\r\n`, data.time);
      break;
    case 'waiting-for-streamed-volume':
      step.log.write(`waiting for volume ${data.volume} to be streamed by another step\r\n`, data.time);
      break;
    case 'set-pipeline-changed':
      step.hasChanged = data.changed;
      break;
  }
}

function finish(step: LeafStep, exitStatus: number, time: number): void {
  step.state = exitStatus === 0 ? 'succeeded' : 'failed';
  step.exitStatus = exitStatus;
  step.finishedAt = time;
}

/** The error of a step that was stopped because somebody aborted the build. */
const ABORTED = 'interrupted';

function applyError(step: Step, message: string, time: number): void {
  step.errors.push(message);
  if (step.kind !== 'leaf') return;
  step.state = message === ABORTED ? 'interrupted' : 'errored';
  step.finishedAt = time;
}

/** Steps that upload to a one-off build, or keep what it made, have no events. */
function isSilent({ type }: LeafStep): boolean {
  return type === 'artifact_input' || type === 'artifact_output';
}

/** When a build ends, no step of it goes on. */
function applyStatus(steps: BuildSteps, status: BuildStatus): void {
  steps.status = status;
  if (status === 'pending' || status === 'started') return;
  for (const step of leavesOf(steps.root)) {
    if (step.state === 'running') step.state = 'interrupted';
    if (step.state === 'pending') step.state = isSilent(step) && status === 'succeeded' ? 'succeeded' : 'skipped';
  }
}
