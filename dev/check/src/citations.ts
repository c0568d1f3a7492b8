import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Document, Repository } from './documents.ts';

/** A source file, by its path from the repository's root. */
export type Source = Document;

/** `docs/concourse/fly-api.md, section 3.7`, also over the end of a comment's line. */
const CITATION =
  /(docs\/[\w/-]+\.md)(?:,[\s/*]+sections?[\s/*]+(\d+(?:\.\d+)*)(?:[\s/*]+and[\s/*]+(\d+(?:\.\d+)*))?)?/g;
/** The number of a heading such as `### 3.7 Containers` or `## 5. Build events`. */
const NUMBER = /^#+ (\d+(?:\.\d+)*)\.? /gm;

/** Documents and sections that comments cite and that do not exist, in words; empty when every citation is right. */
export function findBrokenCitations(
  sources: readonly Source[],
  documents: readonly Document[],
  { paths }: Pick<Repository, 'paths'>,
): string[] {
  const sections = new Map(documents.map(({ file, text }) => [file, numbersIn(text)]));
  return sources.flatMap(({ file, text }) =>
    [...text.matchAll(CITATION)].flatMap(([, document = '', ...numbers]) => {
      if (!paths.has(document)) return [`${file} cites ${document}, which is not there`];
      return numbers
        .filter((number) => number !== undefined && !sections.get(document)?.has(number))
        .map((number) => `${file} cites section ${number} of ${document}, which has no such section`);
    }),
  );
}

function numbersIn(text: string): ReadonlySet<string> {
  return new Set([...text.matchAll(NUMBER)].map((match) => match[1] as string));
}

/** The sources that may cite documents: the product's and the tools', but not the tests of the citations themselves. */
export async function readSources(root: string, paths: ReadonlySet<string>): Promise<Source[]> {
  const files = [...paths].filter(
    (path) => /^(?:packages|dev)\/.*\.(?:ts|mjs|c|h|sql)$/.test(path) && !path.startsWith('dev/check/'),
  );
  return Promise.all(files.sort().map(async (file) => ({ file, text: await readFile(join(root, file), 'utf8') })));
}
