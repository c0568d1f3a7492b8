import { assertNever } from '@seaplane/config';
import type { BuildSpec, StepSpec } from './build-spec.ts';
import { taskScript, typeScript, type WitnessAddress } from './scripts.ts';

export const JOB = 'run';

/** With its version given, no check of the image comes before the step. */
const IMAGE = { type: 'mock', source: { mirror_self: true }, version: { version: 'mock' } };

/** The pipeline of a build, as JSON: every JSON document is YAML, too. Processes report to `witness`. */
export function pipelineOf(spec: BuildSpec, witness: WitnessAddress): string {
  // Every pipeline has the same type, so that its image is fetched once.
  const type = { mirror_self: true, create_files: { 'rootfs/opt/resource/mock': typeScript(witness) } };
  const counted = {
    resource_types: [{ name: 'counted', type: 'mock', source: type, check_every: 'never' }],
    resources: [{ name: 'counter', type: 'counted', source: { build: spec.name }, check_every: 'never' }],
  };
  return JSON.stringify({
    ...(spec.steps.some(({ kind }) => kind === 'put') ? counted : {}), // a resource that no job uses is a mistake
    jobs: [{ name: JOB, ...planOf(spec, witness) }],
  });
}

function planOf(spec: BuildSpec, witness: WitnessAddress): object {
  const [first, second, third] = spec.steps.map(
    (step) =>
      (dirs: Directories = {}) =>
        step.kind === 'put' ? putStep(spec, step) : taskStep(spec, step, witness, dirs),
  ) as [StepOf, StepOf, StepOf];
  switch (spec.shape) {
    case 'task':
    case 'put':
    case 'retry':
      return { plan: [first()] };
    case 'red':
    case 'hungry':
      return { plan: [first(), second()] };
    case 'chain':
      return { plan: [first({ outputs: ['made'] }), second({ inputs: ['made'], outputs: ['more'] }), third()] };
    case 'parallel':
      return { plan: [{ in_parallel: [first(), second()] }, third()] };
    case 'hooks':
      return { plan: [{ ...first(), on_failure: second(), ensure: third() }] };
    default:
      return assertNever(spec.shape);
  }
}

interface Directories {
  readonly inputs?: readonly string[];
  readonly outputs?: readonly string[];
}

type StepOf = (directories?: Directories) => object;

function taskStep(
  spec: BuildSpec,
  step: StepSpec,
  witness: WitnessAddress,
  { inputs = [], outputs = [] }: Directories,
): object {
  return {
    task: step.name,
    ...(step.hungry ? { container_limits: { memory: '48mb' } } : {}),
    ...(step.attempts > 1 ? { attempts: step.attempts } : {}),
    config: {
      platform: 'linux',
      image_resource: IMAGE,
      inputs: inputs.map((name) => ({ name })),
      outputs: outputs.map((name) => ({ name })),
      params: { ...settings(spec, step), INPUTS: inputs.join(' '), OUTPUTS: outputs.join(' ') },
      run: { path: 'sh', args: ['-c', taskScript(witness)] },
    },
  };
}

function putStep(spec: BuildSpec, step: StepSpec): object {
  const chaos = Object.entries(settings(spec, step)).map(([name, value]) => `${name}=${value}`);
  return { put: step.name, resource: 'counter', params: { chaos: chaos.join(' ') } };
}

function settings(spec: BuildSpec, step: StepSpec): Record<string, string> {
  return {
    BUILD: spec.name,
    STEP: step.name,
    LINES: String(step.lines),
    PAUSE: String(step.pauseMs / 1000),
    EXIT: String(step.exit),
    FIRST: step.failsFirst ? 'yes' : '',
    HUNGRY: step.hungry ? 'yes' : '',
  };
}
