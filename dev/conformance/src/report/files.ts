import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '@seaplane/dev-toolchain/run.ts';
import type { ExpectedDifference } from './expected.ts';
import { type BrowserResults, renderMarkdown } from './markdown.ts';
import type { Results } from './results.ts';

/** The file of the browser tests, beside those of the hosts. */
const BROWSER = 'browser';

/** A directory that holds conformance.md and conformance/HOST.json: docs/, but for tests. */
export interface ResultFiles {
  readonly directory: string;
  /** Every host there can be, in the order of the columns. */
  readonly hosts: readonly string[];
}

export function readResults(files: ResultFiles, host: string): Promise<Results | undefined> {
  return readJson(files, host);
}

async function readJson<T>({ directory }: ResultFiles, name: string): Promise<T | undefined> {
  const text = await readFile(jsonFile(directory, name), 'utf8').catch(undefinedIfMissing);
  return text === undefined ? undefined : (JSON.parse(text) as T);
}

/** Writes one host's results, and the page made of those of all hosts. */
export async function writeResults(
  files: ResultFiles,
  host: string,
  results: Results,
  expected: readonly ExpectedDifference[],
): Promise<void> {
  await writeJson(files, host, results);
  await writePage(files, expected);
}

/** Writes the results of the browser tests, and the page. */
export async function writeBrowserResults(
  files: ResultFiles,
  results: BrowserResults,
  expected: readonly ExpectedDifference[],
): Promise<void> {
  await writeJson(files, BROWSER, results);
  await writePage(files, expected);
}

async function writeJson({ directory }: ResultFiles, name: string, results: unknown): Promise<void> {
  await mkdir(join(directory, 'conformance'), { recursive: true });
  await writeFile(jsonFile(directory, name), `${JSON.stringify(results, null, 2)}\n`);
}

async function writePage(files: ResultFiles, expected: readonly ExpectedDifference[]): Promise<void> {
  const all: { host: string; results: Results }[] = [];
  for (const name of files.hosts) {
    const found = await readResults(files, name);
    if (found) all.push({ host: name, results: found });
  }
  const browser = await readJson<BrowserResults>(files, BROWSER);
  await writeFile(join(files.directory, 'conformance.md'), renderMarkdown(all, expected, browser));
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
