import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand, runStep, type Usage } from './steps.ts';
import { summaryLine, type VitestReport } from './summary-line.ts';

const USAGE: Usage = {
  takesArguments: true,
  text: `npm test [-- VITEST ARGUMENTS]

Every test there is, unit and system; the last line counts them. Arguments go to vitest: parts of file names,
--project unit or --project system, -t PATTERN of a test's name.`,
};

await runCommand(USAGE, async (args) => {
  const directory = await mkdtemp(join(tmpdir(), 'seaplane-test-'));
  try {
    const report = join(directory, 'report.json');
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
    const passed = await runStep('tests', 'vitest', ['run', ...reporters, ...args]);
    const text = await readFile(report, 'utf8').catch(() => undefined);
    console.log(text ? summaryLine(JSON.parse(text) as VitestReport) : '0 passed, 1 failed');
    return passed && text !== undefined;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});
