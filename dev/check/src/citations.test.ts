import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findBrokenCitations, readSources } from './citations.ts';
import { readRepository } from './documents.ts';

const MANUAL = { file: 'docs/manual.md', text: '# Manual\n\n## 2. Two\n\n### 2.1 A part of two\n' };

function broken(text: string): string[] {
  return findBrokenCitations([{ file: 'a.ts', text }], [MANUAL], { paths: new Set([MANUAL.file]) });
}

describe('findBrokenCitations', () => {
  test('a citation names a document and one of its numbered sections', () => {
    expect(broken('/** As in docs/manual.md, section 2 (docs/manual.md, section 2.1). */')).toEqual([]);
    expect(broken('// docs/manual.md, section 3')).toEqual([
      'a.ts cites section 3 of docs/manual.md, which has no such section',
    ]);
    expect(broken('// docs/gone.md, section 2')).toEqual(['a.ts cites docs/gone.md, which is not there']);
  });

  test('a citation may go on in the next line of its comment', () => {
    expect(broken('/**\n * docs/manual.md, section\n * 2.2 has it.\n */')).toHaveLength(1);
    expect(broken('// docs/manual.md,\n// section 2.2 has it.')).toHaveLength(1);
  });

  test('each of two sections is looked up', () => {
    expect(broken('// docs/manual.md, sections 2 and 2.1')).toEqual([]);
    expect(broken('// docs/manual.md, sections 2 and 7')).toHaveLength(1);
  });

  test('a document may be cited as a whole', () => {
    expect(broken('// see docs/manual.md')).toEqual([]);
  });
});

test('the comments of this repository cite sections that exist', async () => {
  const root = join(import.meta.dirname, '../../..');
  const { documents, ...repository } = await readRepository(root);
  const sources = await readSources(root, repository.paths);
  expect(sources.filter(({ text }) => /docs\/concourse\/.*section/.test(text)).length).toBeGreaterThan(10);
  expect(findBrokenCitations(sources, documents, repository)).toEqual([]);
});
