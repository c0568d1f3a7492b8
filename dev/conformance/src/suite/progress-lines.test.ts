import { expect, test } from 'vitest';
import { type EndedSpec, progressReader } from './progress-lines.ts';
import { nameSpecs } from './spec.ts';

const specs = nameSpecs([
  { text: 'A do step works', file: 'do_test.go', line: 5 },
  { text: 'A try step goes on', file: 'try_test.go', line: 5 },
]);

function read(text: string): EndedSpec[] {
  const ended: EndedSpec[] = [];
  const onLine = progressReader(specs, (spec) => ended.push(spec));
  for (const line of text.split('\n')) onLine(line);
  return ended;
}

test('[CONF14] several processes: the text follows the state', () => {
  const text = `------------------------------
[SynchronizedBeforeSuite] PASSED [1.100 seconds]
[SynchronizedBeforeSuite]${' '}
github.com/concourse/concourse/testflight/suite_test.go:66

  Timeline >>
  A do step works
  << Timeline
------------------------------
• [12.340 seconds]
A do step works
github.com/concourse/concourse/testflight/do_test.go:5
------------------------------
• [FAILED] [0.500 seconds]
A try step [It] goes on
github.com/concourse/concourse/testflight/try_test.go:5
------------------------------
S [SKIPPED] [0.100 seconds]
A try step goes on
------------------------------
• [PANICKED!] [0.200 seconds]
TOP-LEVEL [AfterEach] A do step works`;
  expect(read(text)).toEqual([
    { name: 'A do step works', how: 'PASSED', seconds: 12.34 },
    { name: 'A try step goes on', how: 'FAILED', seconds: 0.5 },
    { name: 'A try step goes on', how: 'SKIPPED', seconds: 0.1 },
    { name: 'A do step works', how: 'PANICKED', seconds: 0.2 },
  ]);
});

test('[CONF14] one process: the text of a spec that passes comes when it starts', () => {
  const text = `------------------------------
A do step works
github.com/concourse/concourse/testflight/do_test.go:5
  some output
• [1.000 seconds]
------------------------------
A try step goes on
github.com/concourse/concourse/testflight/try_test.go:5
• [FAILED] [2.000 seconds]
A try step [It] goes on
------------------------------`;
  expect(read(text)).toEqual([
    { name: 'A do step works', how: 'PASSED', seconds: 1 },
    { name: 'A try step goes on', how: 'FAILED', seconds: 2 },
  ]);
});
