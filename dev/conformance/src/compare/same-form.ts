import type { PlanPlaces } from './plan-places.ts';

/** Fields whose values differ from run to run. They must be there on both sides, or on none. */
const OF_THE_MOMENT = new Set([
  'api_url',
  'create_time',
  'created_at',
  'duration',
  'end_time',
  'last_checked',
  'last_updated',
  'pipeline_id',
  'reap_time',
  'selected_worker',
  'start_time',
  'team_id',
  'time',
]);
// biome-ignore lint/suspicious/noControlCharactersInRegex: a colour begins with one
const COLOUR = /\u001b\[[0-9;]*m/g;
const ID_FIELD = /^(id|.*_id|.*_ids)$/;

/** A value with everything masked that differs from run to run: times, ids, addresses, names of workers. */
export function inSameForm(value: unknown, places?: PlanPlaces): unknown {
  if (typeof value === 'string') return sameText(value);
  if (Array.isArray(value)) return value.map((item) => inSameForm(item, places));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, member]): [string, unknown] => {
    if (OF_THE_MOMENT.has(key)) return [key, '*'];
    if (ID_FIELD.test(key))
      return [key, typeof member === 'string' && places?.has(member) ? places.placeOf(member) : '*'];
    return [key, inSameForm(member, places)];
  });
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** A text without colours, addresses, random names and seconds. */
export function sameText(text: string): string {
  return text
    .replaceAll(COLOUR, '')
    .replaceAll('  \b\b', '') // Concourse takes an indentation back where we write none
    .replaceAll(/ +$/gm, '')
    .replaceAll(/https?:\/\/[\w.-]+(:\d+)?/g, 'URL')
    .replaceAll(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, 'UUID')
    .replaceAll(/(INFO|FATA)\[\d{4}\]/g, '$1[SECONDS]')
    .replaceAll(/\/\S*\/fly\b/g, 'fly');
}
