import { join } from 'node:path';
import { compileBaggageclaim } from './programs.ts';

/** How a server is started. */
export interface ServerProgram {
  readonly command: readonly string[];
}

export type ServerRuntime = 'bun' | 'node';

/** Compiled for Bun, as its image has it, and from its source on Node: the same tests run against both. */
export function serverPrograms(): Record<ServerRuntime, ServerProgram> {
  return {
    bun: { command: [compileBaggageclaim()] },
    node: { command: [process.execPath, join(import.meta.dirname, '../main.ts')] },
  };
}
