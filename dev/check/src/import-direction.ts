import { glob, readFile } from 'node:fs/promises';
import { dirname, join, normalize, relative, sep } from 'node:path';

/** A workspace package as the check sees it: its folder, its name, and each import in its sources. */
export interface WorkspacePackage {
  readonly folder: string;
  readonly name: string;
  readonly imports: readonly Import[];
}

export interface Import {
  readonly file: string;
  readonly specifier: string;
}

const IMPORT = /(?:\bfrom\s*|\bimport\s*\(?\s*|\bimport\.meta\.resolve\(\s*)(['"])([^'"]+)\1/g;

/** Every import specifier in a module's text. */
export function importsIn(text: string): string[] {
  return [...text.matchAll(IMPORT)].map((match) => match[2] as string);
}

/** What breaks the rule that imports point one way, in words; empty when nothing does. */
export function findViolations(
  packages: readonly WorkspacePackage[],
  allowed: Readonly<Record<string, readonly string[]>>,
  allowedInTests: readonly string[] = [],
): string[] {
  const folderOf = new Map(packages.map(({ name, folder }) => [name, folder]));
  const violations = packages
    .filter(({ folder }) => !allowed[folder])
    .map(({ folder }) => `${folder} is not in ALLOWED_IMPORTS (dev/check/src/layers.ts): say what it may import`);
  for (const { folder, imports } of packages) {
    for (const { file, specifier } of imports) {
      const target = targetFolder(folder, file, specifier, folderOf);
      if (target === undefined || target === folder || allowed[folder]?.includes(target)) continue;
      if (isTest(file) && allowedInTests.includes(target)) continue;
      violations.push(`${file} imports ${specifier}: ${folder} may not import ${target}`);
    }
  }
  return [...violations, ...findCycles(allowed)];
}

/** A test, or what only tests use. */
function isTest(file: string): boolean {
  return file.endsWith('.test.ts') || file.includes('/src/testing/');
}

function targetFolder(
  folder: string,
  file: string,
  specifier: string,
  folderOf: ReadonlyMap<string, string>,
): string | undefined {
  if (specifier.startsWith('.')) {
    const path = normalize(join(dirname(file), specifier));
    return path.startsWith(folder + sep) ? folder : path;
  }
  const name = specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
  return folderOf.get(name);
}

/** The table itself must not allow a circle. */
function findCycles(allowed: Readonly<Record<string, readonly string[]>>): string[] {
  const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
    (allowed[from] ?? []).some((next) => next === to || (!seen.has(next) && reaches(next, to, seen.add(next))));
  return Object.keys(allowed)
    .filter((folder) => reaches(folder, folder))
    .map((folder) => `ALLOWED_IMPORTS lets ${folder} import itself through others`);
}

export async function readWorkspacePackages(root: string): Promise<WorkspacePackage[]> {
  const packages: WorkspacePackage[] = [];
  for await (const manifest of glob('{packages,dev}/*/package.json', { cwd: root })) {
    const folder = dirname(manifest);
    const { name } = JSON.parse(await readFile(join(root, manifest), 'utf8')) as { name: string };
    const imports: Import[] = [];
    for await (const path of glob(`${folder}/**/*.{ts,tsx,mjs}`, {
      cwd: root,
      exclude: (entry) => entry === 'node_modules',
    })) {
      const file = relative('.', path);
      for (const specifier of importsIn(await readFile(join(root, path), 'utf8'))) imports.push({ file, specifier });
    }
    packages.push({ folder, name, imports });
  }
  return packages.sort((a, b) => a.folder.localeCompare(b.folder));
}
