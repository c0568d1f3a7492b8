import { createBunRuntime } from './bun.ts';
import type { Runtime } from './runtime.ts';

/** Node's runtime is loaded only on Node: its modules take tens of milliseconds to load on Bun. */
export async function loadRuntime(): Promise<Runtime> {
  if ('Bun' in globalThis) return createBunRuntime();
  return (await import('./node.ts')).createNodeRuntime();
}
