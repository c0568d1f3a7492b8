import { dirname, join, normalize } from 'node:path';
import { folderOfPackage, type Import, isTest, type WorkspacePackage } from './import-direction.ts';

/**
 * A rule inside a package: files below `from` do not import anything below `to`, except files that are below `from` as
 * well. Tests are free. Each place is a folder or a file by its path from the root (`packages/api/src/answers`), or a
 * package from elsewhere by its name (`node:fs`, `pg`); `node:` stands for all of Node's own.
 */
export interface FolderRule {
  readonly from: string;
  readonly to: readonly string[];
  /** Places below `from` to which the rule does not apply. */
  readonly except?: readonly string[];
  /** Why, in a sentence that follows "because". */
  readonly because: string;
}

/** Imports that break a folder's rule, in words, and rules about folders that do not exist; empty when all is right. */
export function findFolderViolations(packages: readonly WorkspacePackage[], rules: readonly FolderRule[]): string[] {
  const folders = folderOfPackage(packages);
  const imports = packages.flatMap((each) => each.imports).filter(({ file }) => !isTest(file));
  const known = new Set(packages.flatMap(({ folder, files }) => [folder, ...files]));
  return rules.flatMap((rule) => [
    ...missingPlaces(rule, known),
    ...imports
      .filter(({ file }) => isBelow(file, rule.from) && !rule.except?.some((place) => isBelow(file, place)))
      .filter((each) => isForbidden(placeOf(each, folders), rule))
      .map(({ file, specifier }) => `${file} imports ${specifier}: not from ${rule.from}, because ${rule.because}`),
  ]);
}

function isForbidden(place: string, { from, to }: FolderRule): boolean {
  return !isBelow(place, from) && to.some((each) => isBelow(place, each));
}

/** The imported file by its path from the root, or the name it is imported by if it is not in this repository. */
function placeOf({ file, specifier }: Import, folders: (specifier: string) => string | undefined): string {
  if (specifier.startsWith('.')) return normalize(join(dirname(file), specifier));
  return folders(specifier) ?? specifier;
}

function isBelow(path: string, place: string): boolean {
  return path === place || path.startsWith(place.endsWith(':') || place.endsWith('/') ? place : `${place}/`);
}

/** A rule about a folder that was moved would hold nothing. */
function missingPlaces({ from, to, except = [] }: FolderRule, known: ReadonlySet<string>): string[] {
  return [from, ...to, ...except]
    .filter((place) => /^(?:packages|dev)\//.test(place) && !known.values().some((path) => isBelow(path, place)))
    .map((place) => `FORBIDDEN_INSIDE (dev/check/src/layers.ts) names ${place}, which is not there`);
}
