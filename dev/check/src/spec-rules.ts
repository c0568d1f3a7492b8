import { glob, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** A folder with a SPEC.md: its rules, and the ids that its tests carry. */
export interface SpecifiedFolder {
  readonly folder: string;
  readonly spec: string;
  readonly tests: readonly string[];
}

const RULE = /^- \*\*((?:[A-Z]+-)?[A-Z]+\d+)\*\*/gm;
const CARRIED = /\[((?:[A-Z]+-)?[A-Z]+\d+)\]/g;

/** Rules without a test, tests without a rule and ids that stand for two rules, in words. */
export function findRuleGaps({ folder, spec, tests }: SpecifiedFolder): string[] {
  const rules = ids(RULE, spec);
  const carried = new Set(tests.flatMap((text) => ids(CARRIED, text)));
  const known = new Set(rules);
  return [
    ...rules.filter((id, at) => rules.indexOf(id) < at).map((id) => `${folder}/SPEC.md has two rules ${id}`),
    ...[...known].filter((id) => !carried.has(id)).map((id) => `no test in ${folder} carries ${id}`),
    ...[...carried]
      .filter((id) => !known.has(id))
      .map((id) => `a test in ${folder} carries ${id}, which is not a rule`),
  ];
}

/** Ids that name rules of two specifications: an id in a commit or an issue must lead to one rule. */
export function findSharedIds(folders: readonly SpecifiedFolder[]): string[] {
  const owners = new Map<string, string>();
  const shared: string[] = [];
  for (const { folder, spec } of folders) {
    for (const id of new Set(ids(RULE, spec))) {
      const owner = owners.get(id);
      if (owner) shared.push(`${owner}/SPEC.md and ${folder}/SPEC.md both have a rule ${id}`);
      else owners.set(id, folder);
    }
  }
  return shared;
}

function ids(pattern: RegExp, text: string): string[] {
  return [...text.matchAll(pattern)].map((match) => match[1] as string);
}

export async function readSpecifiedFolders(root: string): Promise<SpecifiedFolder[]> {
  const folders: SpecifiedFolder[] = [];
  for await (const file of glob('{packages,dev}/*/SPEC.md', { cwd: root })) {
    const folder = dirname(file);
    const tests: string[] = [];
    // A contract suite stands in `testing/`; the tests that run it carry its rules.
    for await (const path of glob(`${folder}/src/**/{*.test.ts,testing/**/*.ts}`, { cwd: root })) {
      tests.push(await readFile(join(root, path), 'utf8'));
    }
    folders.push({ folder, spec: await readFile(join(root, file), 'utf8'), tests });
  }
  return folders;
}
