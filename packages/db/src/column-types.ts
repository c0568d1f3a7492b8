import pg from 'pg';

/**
 * How columns become values. `bigint` is a number, since our ids and offsets stay far below 2^53, where `pg` alone would
 * give a string. Everything else is as `pg` has it: `timestamptz` a Date, `json` and `jsonb` what they hold.
 */
export const COLUMN_TYPES: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: string) {
    if (oid === pg.types.builtins.INT8 && format !== 'binary') return toSafeInteger;
    return pg.types.getTypeParser(oid, format as 'text');
  },
};

function toSafeInteger(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number)) throw new RangeError(`${text} is beyond what a number can hold exactly`);
  return number;
}
