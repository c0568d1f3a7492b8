import type { Random } from '../random.ts';

/** A step that reports its start and end, and prints numbered lines in between. */
export interface StepSpec {
  readonly name: string;
  readonly kind: 'task' | 'put';
  readonly lines: number;
  /** Between two lines. */
  readonly pauseMs: number;
  readonly exit: number;
  /** The outcome without faults. `unreached`: an earlier step fails, so this one must never start. */
  readonly outcome: 'green' | 'red' | 'unreached';
  /** The attempts after which the step is given up. */
  readonly attempts: number;
  /** The first attempt fails whatever `exit` says. */
  readonly failsFirst: boolean;
  /** After its lines the process uses more memory than its limit, and the kernel kills it. */
  readonly hungry: boolean;
}

export const SHAPES = ['task', 'put', 'chain', 'red', 'parallel', 'retry', 'hooks', 'hungry'] as const;
export type Shape = (typeof SHAPES)[number];

/** A pipeline with one job, whose build is triggered once. */
export interface BuildSpec {
  /** The name of the pipeline. */
  readonly name: string;
  readonly shape: Shape;
  readonly expected: 'succeeded' | 'failed';
  readonly steps: readonly StepSpec[];
}

/** The n-th build of a run. It depends on the generator and the number only. */
export function drawBuild(random: Random, number: number): BuildSpec {
  const shape = random.pick(SHAPES);
  const step = (name: string, kind: StepSpec['kind'], more: Partial<StepSpec> = {}): StepSpec => ({
    name,
    kind,
    lines: random.between(8, 30),
    pauseMs: random.pick([50, 100, 200, 300]),
    exit: 0,
    outcome: 'green',
    attempts: 1,
    failsFirst: false,
    hungry: false,
    ...more,
  });
  const red = { exit: 3, outcome: 'red' } as const;
  const name = `chaos-${String(number).padStart(4, '0')}`;
  switch (shape) {
    case 'task':
      return { name, shape, expected: 'succeeded', steps: [step('only', 'task')] };
    case 'put':
      return { name, shape, expected: 'succeeded', steps: [step('push', 'put')] };
    case 'chain':
      return {
        name,
        shape,
        expected: 'succeeded',
        steps: [step('make', 'task'), step('use', 'task'), step('push', 'put')],
      };
    case 'red':
      return {
        name,
        shape,
        expected: 'failed',
        steps: [step('breaks', 'task', red), step('push', 'put', { outcome: 'unreached' })],
      };
    case 'parallel':
      return {
        name,
        shape,
        expected: 'succeeded',
        steps: [step('left', 'task'), step('right', 'task'), step('push', 'put')],
      };
    case 'hungry':
      return {
        name,
        shape,
        expected: 'failed',
        steps: [
          step('eats', 'task', { exit: 137, outcome: 'red', hungry: true }),
          step('push', 'put', { outcome: 'unreached' }),
        ],
      };
    case 'retry':
      return { name, shape, expected: 'succeeded', steps: [step('flaky', 'task', { attempts: 3, failsFirst: true })] };
    case 'hooks':
      return {
        name,
        shape,
        expected: 'failed',
        steps: [step('breaks', 'put', red), step('mourn', 'task'), step('tidy', 'put')],
      };
  }
}
