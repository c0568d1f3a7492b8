import type { LeafStep, StepState } from './steps.ts';

const TYPES = ['get', 'put', 'task', 'run'];
/** Sandboxes of steps that succeeded are gone soon. */
const STATES: readonly StepState[] = ['running', 'failed', 'errored', 'interrupted'];

/** The command that opens a shell in a step's sandbox. Undefined for a step that has none. */
export function enterCommand(buildId: number, { type, name, state, worker }: LeafStep): string | undefined {
  if (!TYPES.includes(type) || !STATES.includes(state) || worker === undefined) return undefined;
  return `fly -t TARGET intercept -b ${buildId} --step-type ${type} -s ${quoted(name)}`;
}

/** As one word of a shell. Names may hold anything. */
function quoted(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
