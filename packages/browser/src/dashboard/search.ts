import type { PipelineView } from './pipeline-status.ts';

/** How a word is compared: letters in order, the same text, or the same start. */
type Comparison = 'fuzzy' | 'exact' | 'prefix';

interface Term {
  readonly field: 'name' | 'team' | 'group' | 'status';
  readonly text: string;
  readonly comparison: Comparison;
  readonly isNegated: boolean;
}

const FIELDS = ['team', 'group', 'status'] as const;
export const STATUSES = ['paused', 'pending', 'failed', 'errored', 'aborted', 'running', 'succeeded'] as const;

/**
 * Reads a search in Concourse's form: terms with spaces between, all of which must hold. `-` negates a term, `"x"`
 * means exactly that, `"x` means the start.
 */
export function parseSearch(text: string): readonly Term[] {
  return [...text.matchAll(/-?(?:(?:team|group|status):)?(?:"[^"]*"?|[^\s"]\S*)/g)].map(([term]) => parseTerm(term));
}

function parseTerm(text: string): Term {
  const isNegated = text.startsWith('-') && text.length > 1;
  const rest = isNegated ? text.slice(1) : text;
  const field = FIELDS.find((name) => rest.startsWith(`${name}:`));
  const word = (field ? rest.slice(field.length + 1) : rest).trim();
  const isQuoted = word.startsWith('"');
  const isClosed = isQuoted && word.length > 1 && word.endsWith('"');
  return {
    field: field ?? 'name',
    isNegated,
    comparison: isClosed ? 'exact' : isQuoted ? 'prefix' : 'fuzzy',
    text: isQuoted ? word.slice(1, isClosed ? -1 : undefined) : word,
  };
}

/** A pipeline or a job, as far as a search looks at it. */
export interface Searched {
  readonly names: readonly string[];
  readonly team: string;
  readonly groups: readonly string[];
  /** `running` beside the others while a build runs. */
  readonly statuses: readonly string[];
}

export function matches(terms: readonly Term[], { pipeline, status, isRunning }: PipelineView): boolean {
  return areMet(terms, {
    names: [pipeline.name, ...leafTexts(pipeline.instance_vars)],
    team: pipeline.team_name,
    groups: pipeline.instance_vars === undefined ? [] : [pipeline.name],
    statuses: isRunning ? [status, 'running'] : [status],
  });
}

export function areMet(terms: readonly Term[], searched: Searched): boolean {
  return terms.every((term) => holds(term, searched) !== term.isNegated);
}

function holds({ field, text, comparison }: Term, { names, team, groups, statuses }: Searched): boolean {
  const word = text.toLowerCase();
  const same = (value: string) => compare(comparison, value.toLowerCase(), word);
  switch (field) {
    case 'team':
      return same(team);
    case 'group':
      return groups.some(same);
    case 'status':
      return statuses.some((status) => compare('prefix', status, word));
    case 'name':
      return names.some(same);
  }
}

function compare(comparison: Comparison, value: string, text: string): boolean {
  if (comparison === 'exact') return value === text;
  return comparison === 'prefix' ? value.startsWith(text) : hasLettersInOrder(value, text);
}

function hasLettersInOrder(value: string, letters: string): boolean {
  let at = 0;
  for (const letter of letters) {
    at = value.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

function leafTexts(value: unknown): string[] {
  if (value === null || value === undefined) return [];
  if (typeof value === 'object') return Object.values(value).flatMap(leafTexts);
  return [String(value)];
}
