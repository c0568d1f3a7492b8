import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from './code-inputs.ts';

interface Instruction {
  readonly name: string;
  readonly flags: readonly string[];
  readonly words: readonly string[];
}

const INSTRUCTIONS: readonly Instruction[] = readFileSync(join(ROOT, 'Dockerfile'), 'utf8')
  .replaceAll(/^\s*#.*\n/gm, '')
  .replaceAll(/\\\n/g, ' ')
  .split('\n')
  .filter((line) => line.trim() !== '')
  .map((line) => {
    const [name = '', ...rest] = line.trim().split(/\s+/);
    return {
      name,
      flags: rest.filter((word) => word.startsWith('--')),
      words: rest.filter((word) => !word.startsWith('--')),
    };
  });

const STAGES = INSTRUCTIONS.filter(({ name }) => name === 'FROM').map(({ words }) => words[2]);
const COPIES = INSTRUCTIONS.filter(({ name }) => name === 'COPY');

test('[IMG8] every path that is copied from the repository exists', () => {
  const sources = COPIES.filter(({ flags }) => flags.length === 0).flatMap(({ words }) => words.slice(0, -1));
  expect(sources.length).toBeGreaterThan(0);
  expect(sources.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

test('[IMG8] every program that is compiled or run exists', () => {
  const programs = INSTRUCTIONS.flatMap(({ words }) => words.join(' ').match(/packages\/[\w/-]+\.ts/g) ?? []);
  expect(programs).toEqual(['packages/web/src/main.ts', 'packages/baggageclaim/src/main.ts']);
  expect(programs.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

test('[IMG8] both images are targets, and stages copy from stages that come before them', () => {
  expect(STAGES).toEqual(expect.arrayContaining(['web', 'baggageclaim']));
  const seen = new Set<string | undefined>();
  for (const { name, flags, words } of INSTRUCTIONS) {
    if (name === 'FROM') seen.add(words[2]);
    for (const flag of flags.filter((text) => text.startsWith('--from='))) {
      expect([...seen]).toContain(flag.slice('--from='.length));
    }
  }
});
