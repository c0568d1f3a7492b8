import type { PipelineAnswer } from '@seaplane/api/answers';
import { STATUSES } from './search.ts';

/** The kinds of terms that a search may have, each with the values that are known. */
export type TermValues = Readonly<Partial<Record<'status' | 'team' | 'group', readonly string[]>>>;

/** The terms of a search over these pipelines: their statuses, their teams, and the names that instances share. */
export function termsOf(pipelines: readonly PipelineAnswer[]): TermValues {
  const names = (found: readonly string[]) => [...new Set(found)].toSorted((a, b) => a.localeCompare(b));
  const instances = pipelines.filter(({ instance_vars: vars }) => vars !== undefined);
  return {
    status: STATUSES,
    team: names(pipelines.map(({ team_name: team }) => team)),
    group: names(instances.map(({ name }) => name)),
  };
}

/**
 * The searches that begin with this one and have its last term completed: first the kinds of terms, then statuses, and
 * teams or groups as soon as somebody has written which of them.
 */
export function suggestTerms(search: string, values: TermValues): readonly string[] {
  const [, before = '', word = ''] = /^(.*\s)?-?(\S*)$/s.exec(search) ?? [];
  const start = search.slice(0, search.length - word.length);
  const terms = Object.entries(values).flatMap(([kind, known]) => {
    const isAsked = kind === 'status' || word.startsWith(`${kind}:`);
    return [`${kind}:`, ...(isAsked ? known.map((value) => `${kind}:${quoted(value)}`) : [])];
  });
  // Inside of quotes a space ends no term.
  if ((before.match(/"/g) ?? []).length % 2 === 1) return [];
  return terms.filter((term) => term.startsWith(word) && term !== word).map((term) => start + term);
}

function quoted(value: string): string {
  return /\s/.test(value) ? `"${value}"` : value;
}
