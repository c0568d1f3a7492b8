import { DEAD_BUT_FOR_TESTS } from './dead-code.ts';
import { findFolderViolations } from './folder-rules.ts';
import { findViolations, readWorkspacePackages } from './import-direction.ts';
import { ALLOWED_IMPORTS, ALLOWED_IN_TESTS, FORBIDDEN_INSIDE } from './layers.ts';
import { ROOT, runCommand, runStep, type Usage } from './steps.ts';

const USAGE: Usage = {
  takesArguments: false,
  text: `npm run check

Types, lint, format, dead code, import direction, unit tests. Every gate runs, so that one look shows all there is to
mend; the exit status is 0 when all of them passed.`,
};

await runCommand(USAGE, async () => {
  const results = [
    await runStep('types', 'tsc', []),
    await runStep('types of the browser application', 'tsc', ['--project', 'packages/browser']),
    await runStep('lint and format', 'biome', ['ci', '--error-on-warnings']),
    await runStep('dead code', 'knip', ['--no-progress', '--no-config-hints']),
    await runStep('dead code, tests aside', 'knip', DEAD_BUT_FOR_TESTS),
    await importDirection(),
    await runStep('unit tests', 'vitest', ['run', '--project', 'unit']),
  ];
  return results.every(Boolean);
});

async function importDirection(): Promise<boolean> {
  const packages = await readWorkspacePackages(ROOT);
  const violations = [
    ...findViolations(packages, ALLOWED_IMPORTS, ALLOWED_IN_TESTS),
    ...findFolderViolations(packages, FORBIDDEN_INSIDE),
  ];
  console.error('\n== import direction');
  for (const violation of violations) console.error(violation);
  console.error(`== import direction: ${violations.length === 0 ? 'ok' : 'FAILED'}`);
  return violations.length === 0;
}
