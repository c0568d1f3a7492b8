export type * from './sandbox-host.ts';
