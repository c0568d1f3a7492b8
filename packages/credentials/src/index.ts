export { Credentials } from './credentials.ts';
export type { VarScope } from './manager.ts';
