import { expect, test } from 'vitest';
import { cleanReason, condenseMessage } from './reason.ts';

test.each([
  ['colours', '\u001b[1m\u001b[31mfailed\u001b[0m', 'failed'],
  ['a window title', '\u001b]0;fly\u0007failed', 'failed'],
  ['line breaks', 'Expected\n    <int>: 1\nto equal\n    <int>: 0', 'Expected <int>: 1 to equal <int>: 0'],
  ['pipelines', "pipeline 'tf-pipeline-3-0d5f0ec2-9b1c-4f39-8a6c-3f6a4f7c1d10' deleted", "pipeline 'PIPELINE' deleted"],
  ['identifiers', 'version 0d5f0ec2-9b1c-4f39-8a6c-3f6a4f7c1d10-v1', 'version UUID-v1'],
  ['times', '2025-11-15T10:02:03.123Z and 10:02:03 and 2025/11/15 10:02:03', 'TIME and TIME and TIME'],
  ['servers', 'Get "http://localhost:40123/api/v1/info": refused', 'Get "URL/api/v1/info": refused'],
  ['addresses', 'dial tcp 127.0.0.1:8080: refused', 'dial tcp ADDRESS: refused'],
  ['build numbers', 'executing build 190 at /builds/190', 'executing build N at /builds/N'],
  ['pointers', '<*errors.errorString | 0xc000123456>', '<*errors.errorString | POINTER>'],
  ['machine paths', "open '/home/someone/go/x/fixtures/do.yml'", "open 'do.yml'"],
  ['the working directories of tasks', 'cd /tmp/build/1a2b3c4d/in: no such', 'cd WORKDIR/in: no such'],
  ['fractions of seconds', 'Timed out after 300.001s.', 'Timed out after 300s.'],
])('[CONF5] %s do not show', (_, text, clean) => {
  expect(cleanReason(text)).toBe(clean);
});

test('[CONF5] paths in a container, versions and ratios are kept', () => {
  const text = 'ls: /opt/resource/check: version 7.14.2, 3/4, expected 0.5';
  expect(cleanReason(text)).toBe(text);
});

test('[CONF5] a reason has an end', () => {
  expect(cleanReason('x'.repeat(300))).toBe('x'.repeat(300));
  expect(cleanReason('x'.repeat(301))).toBe(`${'x'.repeat(297)}...`);
});

test('[CONF5] the output of a program is not part of the expectation', () => {
  const stuck = 'Got stuck at:\n    a long\n    output\nWaiting for:\n    super broken';
  expect(cleanReason(condenseMessage(stuck))).toBe('it did not print: super broken');
  const output = 'Output: Expected\nnothing\nExpected\n    <int>: 1\nto equal\n    <int>: 0';
  expect(cleanReason(condenseMessage(output))).toBe('Expected <int>: 1 to equal <int>: 0');
});
