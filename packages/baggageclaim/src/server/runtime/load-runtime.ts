import { createBunRuntime } from './bun.ts';
import type { Runtime } from './runtime.ts';

/** Node's is loaded only where it is needed: its modules cost tens of milliseconds on Bun. */
export async function loadRuntime(): Promise<Runtime> {
  if ('Bun' in globalThis) return createBunRuntime();
  return (await import('./node.ts')).createNodeRuntime();
}
