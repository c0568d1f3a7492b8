import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '@seaplane/dev-toolchain/run.ts';
import type { ExpectedDifference } from './expected.ts';
import { renderMarkdown } from './markdown.ts';
import type { Results } from './results.ts';

/** A directory that holds conformance.md and conformance/HOST.json: docs/, but for tests. */
export interface ResultFiles {
  readonly directory: string;
  /** Every host there can be, in the order of the columns. */
  readonly hosts: readonly string[];
}

export async function readResults({ directory }: ResultFiles, host: string): Promise<Results | undefined> {
  const text = await readFile(jsonFile(directory, host), 'utf8').catch(undefinedIfMissing);
  return text === undefined ? undefined : (JSON.parse(text) as Results);
}

/** Writes one host's results, and the page made of those of all hosts. */
export async function writeResults(
  files: ResultFiles,
  host: string,
  results: Results,
  expected: readonly ExpectedDifference[],
): Promise<void> {
  await mkdir(join(files.directory, 'conformance'), { recursive: true });
  await writeFile(jsonFile(files.directory, host), `${JSON.stringify(results, null, 2)}\n`);
  const all: { host: string; results: Results }[] = [];
  for (const name of files.hosts) {
    const found = await readResults(files, name);
    if (found) all.push({ host: name, results: found });
  }
  await writeFile(join(files.directory, 'conformance.md'), renderMarkdown(all, expected));
}

/** The results as they are in the last commit of the repository at `root`; undefined when it has none. */
export async function committedResults(root: string, host: string): Promise<Results | undefined> {
  const file = `HEAD:docs/conformance/${host}.json`;
  const { code, stdout } = await run('git', ['-C', root, 'show', file], { ok: 'any' }).catch(() => ({
    code: 1, // there is no git: then there is no commit to compare with
    stdout: '',
  }));
  return code === 0 ? (JSON.parse(stdout) as Results) : undefined;
}

function jsonFile(directory: string, host: string): string {
  return join(directory, 'conformance', `${host}.json`);
}

function undefinedIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
