import type { LeafStep, StepState } from './steps.ts';

const TYPES = ['get', 'put', 'task', 'run'];
/** Sandboxes of steps that succeeded are gone soon. */
const STATES: readonly StepState[] = ['running', 'failed', 'errored', 'interrupted'];

/** Whether a step has a sandbox that somebody can enter. */
export function hasSandbox({ type, state, worker }: LeafStep): boolean {
  return TYPES.includes(type) && STATES.includes(state) && worker !== undefined;
}

/** The command that opens a shell in a step's sandbox. */
export function enterCommand(buildId: number, { type, name }: LeafStep): string {
  return `fly -t TARGET intercept -b ${buildId} --step-type ${type} -s ${quoted(name)}`;
}

/** As one word of a shell. Names may hold anything. */
function quoted(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
