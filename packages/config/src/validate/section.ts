import type { ConfigWarning } from '../pipeline/pipeline.ts';
import { checkIdentifier } from './identifier.ts';

/** The mistakes in one section of a pipeline. */
export interface SectionMistakes {
  readonly errors: string[];
  readonly warnings: ConfigWarning[];
}

export function noMistakes(): SectionMistakes {
  return { errors: [], warnings: [] };
}

/** How messages name an item: by its name, else by its index. */
export function itemName(section: string, index: number, name: string): string {
  return name === '' ? `${section}[${index}]` : `${section}.${name}`;
}

export function checkItemName(mistakes: SectionMistakes, name: string, item: string): void {
  const problem = checkIdentifier(name, [item]);
  if (problem?.kind === 'error') mistakes.errors.push(problem.message);
  if (problem?.kind === 'warning') mistakes.warnings.push(problem.warning);
}

/** Remembers where a name was first used, and reports its second use. Sections may share `seen`. */
export function checkUnique(
  mistakes: SectionMistakes,
  seen: Map<string, string>,
  section: string,
  index: number,
  name: string,
): void {
  const here = `${section}[${index}]`;
  const other = seen.get(name);
  if (other !== undefined) mistakes.errors.push(`${other} and ${here} have the same name ('${name}')`);
  else if (name !== '') seen.set(name, here);
}

/** The section's errors as one message: a heading and an indented line for each error. */
export function sectionError(heading: string, errors: readonly string[]): string[] {
  if (errors.length === 0) return [];
  const lines = errors.flatMap((error) => error.split('\n')).map((line) => `\t${line}`);
  return [`invalid ${heading}:\n${lines.join('\n')}\n`];
}
