import { glob, readFile } from 'node:fs/promises';
import { dirname, join, normalize, relative, sep } from 'node:path';

/** A workspace package as the check sees it: its folder, its name, its source files and each import in them. */
export interface WorkspacePackage {
  readonly folder: string;
  readonly name: string;
  readonly files: readonly string[];
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

/** Imports that break the rule that imports point one way, in words; empty when none does. */
export function findViolations(
  packages: readonly WorkspacePackage[],
  allowed: Readonly<Record<string, readonly string[]>>,
  allowedInTests: readonly string[] = [],
): string[] {
  const folderOf = folderOfPackage(packages);
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
  return [...violations, ...findDisorder(allowed)];
}

/** Whether the file is a test or code that only tests use. */
export function isTest(file: string): boolean {
  return file.endsWith('.test.ts') || file.includes('/testing/');
}

/** Finds the folder of the workspace package that a specifier names; undefined for packages from elsewhere. */
export function folderOfPackage(packages: readonly WorkspacePackage[]): (specifier: string) => string | undefined {
  const folders = new Map(packages.map(({ name, folder }) => [name, folder]));
  return (specifier) => {
    const words = specifier.split('/');
    return folders.get(words.slice(0, specifier.startsWith('@') ? 2 : 1).join('/'));
  };
}

function targetFolder(
  folder: string,
  file: string,
  specifier: string,
  folderOf: (specifier: string) => string | undefined,
): string | undefined {
  if (specifier.startsWith('.')) {
    const path = normalize(join(dirname(file), specifier));
    return path.startsWith(folder + sep) ? folder : path;
  }
  return folderOf(specifier);
}

/** The table is in order, and so can't allow a circle: a package stands below every package that it imports. */
function findDisorder(allowed: Readonly<Record<string, readonly string[]>>): string[] {
  const folders = Object.keys(allowed);
  return folders.flatMap((folder, index) =>
    (allowed[folder] ?? [])
      .filter((imported) => !folders.slice(0, index).includes(imported))
      .map((imported) => `ALLOWED_IMPORTS lets ${folder} import ${imported}, which does not stand above it`),
  );
}

export async function readWorkspacePackages(root: string): Promise<WorkspacePackage[]> {
  const packages: WorkspacePackage[] = [];
  for await (const manifest of glob('{packages,dev}/*/package.json', { cwd: root })) {
    const folder = dirname(manifest);
    const { name } = JSON.parse(await readFile(join(root, manifest), 'utf8')) as { name: string };
    const files: string[] = [];
    const imports: Import[] = [];
    for await (const path of glob(`${folder}/**/*.{ts,tsx,mjs}`, {
      cwd: root,
      exclude: (entry) => entry === 'node_modules',
    })) {
      const file = relative('.', path);
      files.push(file);
      for (const specifier of importsIn(await readFile(join(root, path), 'utf8'))) imports.push({ file, specifier });
    }
    packages.push({ folder, name, files, imports });
  }
  return packages.sort((a, b) => a.folder.localeCompare(b.folder));
}
