export type { History, InputResolution, JobInput, Resolution } from './history.ts';
export { resolveInputs } from './resolve-inputs.ts';
