import { expect, test } from 'vitest';
import { changedLines, configText } from './config-text.ts';

test('[UI-CONF1] a configuration is shown as YAML, in its own order and with all digits', () => {
  const answer =
    '{"config":{"resources":[{"name":"r","type":"t","source":{"id":12345678901234567890}}],"jobs":[{"name":"j","plan":[{"task":"x","config":{"run":{"path":"sh","args":["-c","one\\ntwo\\n"]}}}]}]}}';
  expect(configText(answer)).toBe(`resources:
- name: r
  type: t
  source:
    id: 12345678901234567890
jobs:
- name: j
  plan:
  - task: x
    config:
      run:
        path: sh
        args:
        - -c
        - |
          one
          two
`);
});

test('[UI-CONF2] changed lines stand with a few around them', () => {
  const before = 'abcdefghij'.split('');
  const after = before.with(4, 'E').concat('k');
  const words = changedLines(before.join('\n'), after.join('\n')).map((line) =>
    line ? { same: ' ', removed: '-', added: '+' }[line.kind] + line.text : '...',
  );
  expect(words).toEqual([' b', ' c', ' d', '-e', '+E', ' f', ' g', ' h', ' i', ' j', '+k']);
  expect(changedLines('a\nb\nc\nd\ne', 'A\nb\nc\nd\ne')).toEqual([
    { kind: 'removed', text: 'a' },
    { kind: 'added', text: 'A' },
    { kind: 'same', text: 'b' },
    { kind: 'same', text: 'c' },
    { kind: 'same', text: 'd' },
    undefined,
  ]);
  expect(changedLines('a', 'a')).toEqual([]);
});
