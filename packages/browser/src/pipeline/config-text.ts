import { type DiffLine, diffLines } from '@seaplane/config/diff-lines';
import { parseJson } from '@seaplane/config/parse-json';
import { readableYaml } from '@seaplane/config/readable-yaml';
import type { JsonObject } from '@seaplane/config/values';

/** How many unchanged lines stand around a change. */
const CONTEXT = 3;

/** The configuration in an answer of the API, as YAML. No number of it is rounded. */
export function configText(answer: string): string {
  const { config } = parseJson(answer) as { readonly config: JsonObject };
  return readableYaml(config);
}

/** The lines that differ, with a few around them. `undefined` stands for lines that are left out. */
export function changedLines(before: string, after: string): readonly (DiffLine | undefined)[] {
  const lines = diffLines(before.split('\n'), after.split('\n'));
  const isNear = lines.map((_, at) =>
    lines.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some(({ kind }) => kind !== 'same'),
  );
  return lines.flatMap((line, at) => (isNear[at] ? [line] : isNear[at - 1] ? [undefined] : []));
}
