import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../../..');

/** Runs one gate with its output shown and says how long it took; true when it passed. */
export function runStep(
  name: string,
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): boolean {
  const start = performance.now();
  console.error(`\n== ${name}`);
  const result = spawnSync(command, args, { cwd: ROOT, stdio: 'inherit', env });
  if (result.error) console.error(`${command}: ${result.error.message}`);
  const passed = result.status === 0;
  console.error(`== ${name}: ${passed ? 'ok' : 'FAILED'} (${((performance.now() - start) / 1000).toFixed(1)} s)`);
  return passed;
}
