import { parseJson } from '@seaplane/config';
import pg from 'pg';

/**
 * How columns become values. `bigint` is a number, because our ids and offsets are far below 2^53; `pg` alone would
 * give a string. In JSON, integers that a number would round keep their digits: users write them in sources and params.
 * All other types are as in `pg`: `timestamptz` is a Date.
 */
export const COLUMN_TYPES: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: string) {
    const { INT8, JSON: PLAIN_JSON, JSONB } = pg.types.builtins;
    if (format === 'binary') return pg.types.getTypeParser(oid, 'binary');
    if (oid === INT8) return toSafeInteger;
    if (oid === PLAIN_JSON || oid === JSONB) return parseJson;
    return pg.types.getTypeParser(oid, 'text');
  },
};

function toSafeInteger(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number)) throw new RangeError(`${text} is beyond what a number can hold exactly`);
  return number;
}
