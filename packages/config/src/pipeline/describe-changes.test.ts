import { expect, test } from 'vitest';
import { parseYaml } from '../yaml/parse-yaml.ts';
import { describeChanges } from './describe-changes.ts';
import { configToJson } from './pipeline-json.ts';
import { readPipeline } from './read-pipeline.ts';

function changes(before: string, after: string): string {
  const [old, now] = [before, after].map((text) => {
    const result = readPipeline(parseYaml(text));
    if (!result.ok) throw new Error(result.errors.join());
    return configToJson(result.config);
  });
  const codes = ['\u001b[0;33m', '\u001b[0;32m', '\u001b[0;31m', '\u001b[0m'];
  return codes.reduce((text, code) => text.replaceAll(code, ''), describeChanges(old ?? {}, now ?? {}));
}

const JOBS = 'jobs: [{name: a, plan: []}, {name: b, plan: []}]';

test('[CFG-PIPE12] shows parts that were added, removed and changed, as diffs of their YAML', () => {
  const before = `
resources: [{name: r, type: git, source: {uri: x, branch: main, text: "12", big: 9007199254740993}}]
jobs: [{name: gone, plan: []}, {name: kept, plan: [{get: r}]}]`;
  const after = `
resources: [{name: r, type: git, source: {uri: x, text: "12", big: 9007199254740993, tag: v1}}]
jobs: [{name: kept, plan: [{get: r}]}, {name: new, plan: [{get: r, passed: [kept]}]}]
display: {background_image: a.png}`;
  expect(changes(before, after).split('\n')).toEqual([
    'resources:',
    '  resource r has changed:',
    '  name: r',
    '  source:',
    '    big: 9007199254740993',
    '-   branch: main',
    '+   tag: v1',
    '    text: "12"',
    '    uri: x',
    '  type: git',
    '',
    'jobs:',
    '  job gone has been removed:',
    '- name: gone',
    '- plan: []',
    '',
    '  job new has been added:',
    '+ name: new',
    '+ plan:',
    '+ - get: r',
    '+   passed:',
    '+   - kept',
    '',
    'display configuration has been added:'.padStart(39),
    '+ background_image: a.png',
    '',
  ]);
});

test('[CFG-PIPE12] the colours are those of Concourse', () => {
  expect(describeChanges({}, { jobs: [{ name: 'a' }] })).toBe(
    'jobs:\n  \u001b[0;33mjob a has been added:\u001b[0m\n\u001b[0;32m+\u001b[0m \u001b[0;32mname: a\u001b[0m\n',
  );
});

test('[CFG-PIPE12] nothing is shown for equal pipelines, or jobs in another order', () => {
  expect(changes(JOBS, JOBS)).toBe('');
  expect(changes(JOBS, 'jobs: [{plan: [], name: b}, {name: a, plan: []}]')).toBe('');
});

test('[CFG-PIPE12] groups in another order are a change', () => {
  const groups = (...names: string[]) => `groups: [${names.map((name) => `{name: ${name}, jobs: ["*"]}`)}]\n${JOBS}`;
  expect(changes(groups('x', 'y'), groups('y', 'x'))).toContain('group x has changed:');
  expect(changes(groups('x', 'y'), groups('x', 'y'))).toBe('');
});

test('[CFG-PIPE12] a part of many lines is replaced as a whole, in little time', () => {
  const numbers = (from: number) => Array.from({ length: 30_000 }, (_, index) => from + index);
  const lines = describeChanges(
    { jobs: [{ name: 'a', x: numbers(0) }] },
    { jobs: [{ name: 'a', x: numbers(50_000) }] },
  ).split('\n');
  expect(lines.filter((line) => line.includes('- - '))).toHaveLength(0);
  expect(lines.length).toBe(60_000 + 5);
});
