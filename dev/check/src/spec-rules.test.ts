import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findRuleGaps, readSpecifiedFolders } from './spec-rules.ts';

test('a rule has one meaning and a test, and a test has a rule', () => {
  const spec = '# Rules\n\n- **A1** One.\n- **A2** Two, as **A1**.\n- **A2** Two again.\n- **A3** Three.\n';
  const tests = ["test('[A1] [A2] works', () => {});", "test('[B1] works', () => {});"];
  expect(findRuleGaps({ folder: 'dev/x', spec, tests })).toEqual([
    'dev/x/SPEC.md has two rules A2',
    'no test in dev/x carries A3',
    'a test in dev/x carries B1, which is no rule',
  ]);
});

test('every specification of this repository keeps to it', async () => {
  const folders = await readSpecifiedFolders(join(import.meta.dirname, '../../..'));
  expect(folders.length).toBeGreaterThan(10);
  expect(folders.flatMap(findRuleGaps)).toEqual([]);
});
