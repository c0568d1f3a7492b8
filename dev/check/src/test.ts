import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runStep } from './steps.ts';
import { summaryLine, type VitestReport } from './summary-line.ts';

// `npm test [-- VITEST ARGUMENTS]`: every test there is. The last line counts them.
const directory = await mkdtemp(join(tmpdir(), 'seaplane-test-'));
try {
  const report = join(directory, 'report.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const passed = runStep('tests', 'vitest', ['run', ...reporters, ...process.argv.slice(2)]);
  const text = await readFile(report, 'utf8').catch(() => undefined);
  console.log(text ? summaryLine(JSON.parse(text) as VitestReport) : '0 passed, 1 failed');
  process.exitCode = passed && text ? 0 : 1;
} finally {
  await rm(directory, { recursive: true, force: true });
}
