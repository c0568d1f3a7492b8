import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findBrokenReferences, readRepository } from './documents.ts';

const paths = new Set([
  '.',
  'README.md',
  'docs',
  'docs/a.md',
  'dev',
  'dev/tool',
  'dev/tool/src',
  'dev/tool/src/run.ts',
]);
const scripts = new Set(['check', 'cluster']);

function broken(file: string, text: string): string[] {
  return findBrokenReferences([{ file, text }], { paths, scripts });
}

describe('findBrokenReferences', () => {
  test('links are read from where the document is', () => {
    expect(broken('docs/a.md', '[root](../README.md), [tool](../dev/tool/), [far](https://x.example)')).toEqual([]);
    expect(broken('docs/a.md', '[gone](b.md)')).toEqual(['docs/a.md links to b.md, which is not there']);
    expect(broken('README.md', '[gone](docs/b.md#part)')).toEqual([
      'README.md links to docs/b.md#part, which is not there',
    ]);
  });

  test('a place in a document is one of its headings', () => {
    const heading = '# One `thing`, and more\n';
    expect(broken('docs/a.md', `${heading}[here](#one-thing-and-more), [again](a.md#one-thing-and-more)`)).toEqual([]);
    expect(broken('docs/a.md', `${heading}[gone](#two)`)).toEqual(['docs/a.md links to #two, which is not there']);
  });

  test('a path in code is read from the root', () => {
    expect(broken('docs/a.md', '`dev/tool/src/run.ts`, `dev/tool/`, `dev/*`, `docs/conformance.md`')).toEqual([
      'docs/a.md names `docs/conformance.md`, which is not there',
    ]);
  });

  test('capitals in a path stand for something else', () => {
    expect(broken('docs/a.md', '`dev/tool/NAME.json`')).toEqual([]);
    expect(broken('docs/a.md', '`dev/gone/NAME.json`')).toHaveLength(1);
  });

  test('a source file is found by the end of its path, and only asked for below the root', () => {
    expect(broken('dev/tool/README.md', '`run.ts`, `src/run.ts`, `gone.ts`')).toEqual([
      'dev/tool/README.md names `gone.ts`, which is not there',
    ]);
    expect(broken('README.md', 'No `utils.ts`.')).toEqual([]);
  });

  test('a command is one that package.json has', () => {
    expect(broken('README.md', 'npm run check; npm run --silent cluster -- up; npm run serve')).toEqual([
      'README.md says npm run serve, which package.json does not have',
    ]);
  });
});

test('the documents of this repository keep to it', async () => {
  const { documents, ...repository } = await readRepository(join(import.meta.dirname, '../../..'));
  expect(documents.map(({ file }) => file)).toContain('docs/architecture.md');
  expect(findBrokenReferences(documents, repository)).toEqual([]);
});
