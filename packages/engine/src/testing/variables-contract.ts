import type { JsonObject } from '@seaplane/config';
import { describe, expect, test } from 'vitest';
import type { Variables } from '../seams.ts';

export interface VariablesUnderTest extends AsyncDisposable {
  readonly variables: Variables;
}

/** The rules that all Variables keep (SPEC.md, ENG-VARS). `make` gets the variables of each var source, by name. */
export function variablesContract(
  name: string,
  make: (sources: Readonly<Record<string, JsonObject>>) => Promise<VariablesUnderTest>,
): void {
  const never = new AbortController().signal;

  describe(`${name} as Variables`, () => {
    test('[ENG-VARS1] a variable comes from the source that it names, and its fields are followed', async () => {
      await using under = await make({ a: { db: { password: 'x', ports: [1] } }, b: { db: null } });
      const get = (source: string, path: string, ...fields: string[]) =>
        under.variables.get({ source, path, fields }, never);
      expect(await get('a', 'db')).toEqual({ password: 'x', ports: [1] });
      expect(await get('a', 'db', 'password')).toBe('x');
      expect(await get('b', 'db')).toBeNull();
      expect(await get('b', 'other')).toBeUndefined();
      await expect(get('a', 'db', 'user')).rejects.toThrow("missing field 'user'");
    });

    test('[ENG-VARS2] a variable that is looked for under its own name has no places to list', async () => {
      await using under = await make({ a: {} });
      expect(await under.variables.placesOf({ source: 'a', path: 'db', fields: [] }, never)).toEqual([]);
    });
  });
}
