export type { ResolvableInput } from '../inputs/history.ts';
export { resolveInputs } from '../inputs/resolve-inputs.ts';
export { sqlHistory } from '../inputs/sql-history.ts';
