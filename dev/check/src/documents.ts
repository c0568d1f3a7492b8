import { glob, readFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';

/** A Markdown file, by its path from the repository's root. */
export interface Document {
  readonly file: string;
  readonly text: string;
}

/** The things that documents may refer to. */
export interface Repository {
  /** Every file and folder, by its path from the root. */
  readonly paths: ReadonlySet<string>;
  /** The names that `npm run` knows. */
  readonly scripts: ReadonlySet<string>;
}

const LINK = /\]\(([^)\s]+)\)/g;
const CODE = /`([^`\n]+)`/g;
const COMMAND = /\bnpm run (?:--?\S+ )*([\w:-]+)/g;
/** A path from the root. */
const FROM_ROOT = /^(?:packages|dev|docs|deploy|\.ci)\/[\w.@/*-]*$/;
/** A source file, by a path that may begin anywhere. */
const SOURCE = /^[\w.@/-]*\w\.(?:ts|mjs|c|h|sql|yaml)$/;

/** Links, paths and commands in documents that lead nowhere, in words; empty when all of them are right. */
export function findBrokenReferences(documents: readonly Document[], repository: Repository): string[] {
  const headings = new Map(documents.map(({ file, text }) => [file, headingsOf(text)]));
  return documents.flatMap(({ file, text }) => [
    ...brokenLinks(file, text, repository, headings).map((link) => `${file} links to ${link}, which is not there`),
    ...brokenPaths(file, text, repository).map((path) => `${file} names \`${path}\`, which is not there`),
    ...unknownScripts(text, repository).map((name) => `${file} says npm run ${name}, which package.json does not have`),
  ]);
}

function brokenLinks(
  file: string,
  text: string,
  { paths }: Repository,
  headings: ReadonlyMap<string, ReadonlySet<string>>,
): string[] {
  return matches(LINK, text).filter((link) => {
    if (/^[a-z]+:/.test(link)) return false; // not in this repository
    const [path = '', heading] = link.split('#');
    const target = path === '' ? file : trim(normalize(join(dirname(file), path)));
    return !paths.has(target) || (heading !== undefined && headings.get(target)?.has(heading) === false);
  });
}

/** The names that links use for a document's headings. */
function headingsOf(text: string): ReadonlySet<string> {
  const names = matches(/^#+ (.+)$/gm, text).map((heading) => heading.toLowerCase().replace(/[^\w\- ]/g, ''));
  return new Set(names.map((name) => name.replaceAll(' ', '-')));
}

function brokenPaths(file: string, text: string, { paths }: Repository): string[] {
  return matches(CODE, text).filter((path) => {
    if (FROM_ROOT.test(path)) return !hasPath(paths, path);
    // Documents at the root also name files that must not exist (`utils.ts`); those of a folder name its own.
    return file.includes('/') && SOURCE.test(path) && !isPlaceholder(path) && !hasSuffix(paths, path);
  });
}

function unknownScripts(text: string, { scripts }: Repository): string[] {
  return matches(COMMAND, text).filter((name) => !scripts.has(name));
}

/** A path that names many files (`packages/*`, `docs/conformance/HOST.json`) is there when its folder is. */
function hasPath(paths: ReadonlySet<string>, path: string): boolean {
  const words = trim(path).split('/');
  const open = words.findIndex((word) => word.includes('*') || isPlaceholder(word));
  return paths.has(words.slice(0, open === -1 ? words.length : open).join('/'));
}

/** Capitals stand for something else: `HOST.json`, `NNNN-name.sql`. */
function isPlaceholder(word: string): boolean {
  return /(?:^|\/)[A-Z]{2,}\b(?!\.md)/.test(word);
}

function hasSuffix(paths: ReadonlySet<string>, path: string): boolean {
  return paths.has(path) || paths.values().some((known) => known.endsWith(`/${path}`));
}

function matches(pattern: RegExp, text: string): string[] {
  return [...text.matchAll(pattern)].map((match) => match[1] as string);
}

function trim(path: string): string {
  return path.replace(/\/$/, '');
}

const NOT_OURS = ['node_modules', '.git', '.seaplane', 'coverage', 'dist'];

export async function readRepository(root: string): Promise<Repository & { readonly documents: Document[] }> {
  const paths = new Set<string>(['.']);
  const options = { cwd: root, exclude: (name: string) => NOT_OURS.includes(name) };
  for await (const path of glob(['**/*', '.ci/*'], options)) paths.add(path);
  const files = [...paths].filter((path) => path.endsWith('.md')).sort();
  const documents = await Promise.all(
    files.map(async (file) => ({ file, text: await readFile(join(root, file), 'utf8') })),
  );
  const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { scripts: object };
  return { paths, scripts: new Set(Object.keys(scripts)), documents };
}
