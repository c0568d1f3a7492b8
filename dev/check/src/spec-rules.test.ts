import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findRuleGaps, findSharedIds, readSpecifiedFolders } from './spec-rules.ts';

test('a rule has one meaning and a test, and a test has a rule', () => {
  const spec = '# Rules\n\n- **A1** One.\n- **A2** Two, as **A1**.\n- **A2** Two again.\n- **A3** Three.\n';
  const tests = ["test('[A1] [A2] works', () => {});", "test('[B1] works', () => {});"];
  expect(findRuleGaps({ folder: 'dev/x', spec, tests })).toEqual([
    'dev/x/SPEC.md has two rules A2',
    'no test in dev/x carries A3',
    'a test in dev/x carries B1, which is not a rule',
  ]);
});

test('an id names one rule in the whole repository', () => {
  const a = { folder: 'dev/a', spec: '- **X1** One.\n- **A-X2** Two.\n', tests: [] };
  const b = { folder: 'dev/b', spec: '- **X1** Another.\n- **B-X2** Two.\n', tests: [] };
  expect(findSharedIds([a, b])).toEqual(['dev/a/SPEC.md and dev/b/SPEC.md both have a rule X1']);
});

test('every specification of this repository keeps to it', async () => {
  const folders = await readSpecifiedFolders(join(import.meta.dirname, '../../..'));
  expect(folders.length).toBeGreaterThan(10);
  expect(folders.flatMap(findRuleGaps)).toEqual([]);
  expect(findSharedIds(folders)).toEqual([]);
});
