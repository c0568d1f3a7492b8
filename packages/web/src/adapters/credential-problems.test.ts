import type { VarSourceConfig } from '@seaplane/config';
import { Credentials } from '@seaplane/credentials';
import { manualClock } from '@seaplane/engine/testing';
import { expect, test } from 'vitest';
import { credentialProblems } from './credential-problems.ts';

const SOURCES: readonly VarSourceConfig[] = [
  { name: 'a', type: 'dummy', config: { vars: { known: { field: 'value' } } } },
  { name: 'v', type: 'vault', config: { client_token: 'x' } },
];

async function problemsOf(...values: Parameters<typeof credentialProblems>[1]): Promise<string[]> {
  const identity = { issuer: 'http://test', newestKey: async () => undefined };
  await using credentials = new Credentials({ clock: manualClock(), identity, onError: () => {} });
  const variables = credentials.variables(SOURCES, { team: 'main', pipeline: 'p' });
  return await credentialProblems(variables, values, new AbortController().signal);
}

test('[VARS3] each value with variables that are not found is reported with their names', async () => {
  expect(await problemsOf({ key: '((a:known.field)) ((.:local))', plain: 1 })).toEqual([]);
  expect(await problemsOf({ key: '((a:none))', other: ['((b))'] }, '((a:known.other))', '((c:x))')).toEqual([
    'undefined vars: a:none, b',
    "missing field 'other' in var: known.other",
    "missing source 'c' in var: c:x",
  ]);
  expect(await problemsOf('((v:x))')).toEqual([expect.stringContaining('the type vault, which this version')]);
});
