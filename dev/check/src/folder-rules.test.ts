import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type FolderRule, findFolderViolations } from './folder-rules.ts';
import { readWorkspacePackages, type WorkspacePackage } from './import-direction.ts';
import { FORBIDDEN_INSIDE } from './layers.ts';

const RULE: FolderRule = {
  from: 'packages/bag/src/client',
  to: ['packages/bag/src', 'packages/db', 'node:', 'pg'],
  because: 'tools read it, too',
};

const DB: WorkspacePackage = { folder: 'packages/db', name: '@seaplane/db', files: [], imports: [] };

function find(file: string, specifier: string, rules = [RULE]): string[] {
  const files = ['packages/bag/src/client/client.ts', 'packages/bag/src/server.ts'];
  const bag = { folder: 'packages/bag', name: '@seaplane/bag', files, imports: [{ file, specifier }] };
  return findFolderViolations([DB, bag], rules);
}

describe('findFolderViolations', () => {
  const CLIENT = 'packages/bag/src/client/client.ts';

  test('an import from the folder to a forbidden place is reported with its reason', () => {
    expect(find(CLIENT, '../server.ts')).toEqual([
      `${CLIENT} imports ../server.ts: not from packages/bag/src/client, because tools read it, too`,
    ]);
  });

  test('a forbidden place may be a package of ours, one from npm, or all of Node', () => {
    for (const specifier of ['@seaplane/db', 'pg', 'node:fs/promises']) {
      expect(find(CLIENT, specifier)).toHaveLength(1);
    }
  });

  test('files of the folder itself and everything that is not forbidden may be imported', () => {
    for (const specifier of ['./http.ts', './parts/http.ts', 'hono', 'pg-boss']) {
      expect(find(CLIENT, specifier)).toEqual([]);
    }
  });

  test('files outside of the folder, and tests, may import what they like', () => {
    expect(find('packages/bag/src/client-list.ts', './server.ts')).toEqual([]);
    expect(find('packages/bag/src/client/client.test.ts', '../server.ts')).toEqual([]);
    expect(find('packages/bag/src/client/testing/server.ts', '../../server.ts')).toEqual([]);
  });

  test('an exception may import what the rest of the folder may not', () => {
    expect(find(CLIENT, '../server.ts', [{ ...RULE, except: [CLIENT] }])).toEqual([]);
    expect(find(CLIENT, '../server.ts', [{ ...RULE, except: ['packages/bag/src/server.ts'] }])).toHaveLength(1);
  });

  test('a rule about a place that does not exist is reported', () => {
    expect(find(CLIENT, './http.ts', [{ ...RULE, from: 'packages/bag/src/reader' }])).toEqual([
      'FORBIDDEN_INSIDE (dev/check/src/layers.ts) names packages/bag/src/reader, which is not there',
    ]);
  });
});

test('this repository keeps the rules', async () => {
  const packages = await readWorkspacePackages(join(import.meta.dirname, '../../..'));
  expect(findFolderViolations(packages, FORBIDDEN_INSIDE)).toEqual([]);
});
