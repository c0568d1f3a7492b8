import { ConfigError } from '../error.ts';

/** The name of a variable between `((` and `))`. `source` is a var source, or `.` for local variables. */
export interface VarReference {
  readonly source?: string;
  readonly path: string;
  readonly fields: readonly string[];
}

const INSIDE = '(?:[-/.\\w\\p{L}]+:)?[-/.:@"\\w\\p{L}]+';

/**
 * Matches each reference in a text; the first group is its name. A new one for each use, because it keeps a position.
 */
export function referencePattern(): RegExp {
  return new RegExp(`\\(\\((${INSIDE})\\)\\)`, 'gu');
}

/** The name, if the text is one reference and nothing else. */
export function wholeReference(text: string): string | undefined {
  return new RegExp(`^\\(\\((${INSIDE})\\)\\)$`, 'u').exec(text)?.[1];
}

/** The names of all references in a text, in order. */
export function referenceNames(text: string): string[] {
  return [...text.matchAll(referencePattern())].map((match) => match[1] as string);
}

/** Reads `path`, `path.field`, `source:path.field`; a path or field with dots or colons in it is quoted. */
export function parseReference(name: string): VarReference {
  const colon = findUnquoted(name, ':');
  const source = colon === -1 ? undefined : name.slice(0, colon);
  if (source?.includes('"')) {
    throw new ConfigError('invalid-reference', `invalid var '${name}': source must not be quoted`);
  }
  const [path = '', ...fields] = segments(name.slice(colon + 1));
  if ([path, ...fields].includes('')) {
    throw new ConfigError('invalid-reference', `invalid var '${name}': empty field`);
  }
  return { ...(source ? { source } : {}), path, fields };
}

/** The reference in its canonical form, for messages. */
export function formatReference({ source, path, fields }: VarReference): string {
  const name = [path, ...fields].map((part) => (/[,.:/ ]/.test(part) ? JSON.stringify(part) : part)).join('.');
  return source === undefined ? name : `${source}:${name}`;
}

function segments(text: string): string[] {
  const parts: string[] = [];
  let rest = text;
  for (let dot = findUnquoted(rest, '.'); dot !== -1; dot = findUnquoted(rest, '.')) {
    parts.push(rest.slice(0, dot));
    rest = rest.slice(dot + 1);
  }
  return [...parts, rest].map((part) => part.trim().replaceAll('"', ''));
}

function findUnquoted(text: string, wanted: string): number {
  let quoted = false;
  for (let index = 0; index < text.length; index++) {
    if (text[index] === wanted && !quoted) return index;
    if (text[index] === '"') quoted = !quoted;
  }
  return -1;
}
