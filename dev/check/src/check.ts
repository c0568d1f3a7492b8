import { findViolations, readWorkspacePackages } from './import-direction.ts';
import { ALLOWED_IMPORTS, ALLOWED_IN_TESTS } from './layers.ts';
import { ROOT, runStep } from './steps.ts';

/** Every gate runs, so that one look shows all there is to mend. */
const results = [
  runStep('types', 'tsc', []),
  runStep('lint and format', 'biome', ['ci', '--error-on-warnings']),
  runStep('dead code', 'knip', ['--no-progress', '--no-config-hints']),
  await importDirection(),
  runStep('unit tests', 'vitest', ['run', '--project', 'unit']),
];
process.exitCode = results.every(Boolean) ? 0 : 1;

async function importDirection(): Promise<boolean> {
  const violations = findViolations(await readWorkspacePackages(ROOT), ALLOWED_IMPORTS, ALLOWED_IN_TESTS);
  console.error('\n== import direction');
  for (const violation of violations) console.error(violation);
  console.error(`== import direction: ${violations.length === 0 ? 'ok' : 'FAILED'}`);
  return violations.length === 0;
}
