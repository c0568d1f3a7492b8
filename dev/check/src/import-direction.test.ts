import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findViolations, importsIn, readWorkspacePackages, type WorkspacePackage } from './import-direction.ts';
import { ALLOWED_IMPORTS, ALLOWED_IN_TESTS } from './layers.ts';

function pkg(folder: string, specifier?: string): WorkspacePackage {
  const imports = specifier ? [{ file: `${folder}/src/main.ts`, specifier }] : [];
  return { folder, name: `@seaplane/${folder.split('/')[1]}`, files: imports.map(({ file }) => file), imports };
}

describe('importsIn', () => {
  test('finds static, type, side-effect, re-exporting and dynamic imports', () => {
    const text = `import a from 'a';\nimport type { B } from "b";\nimport 'c';\nexport * from './d.ts';\nawait import('e');`;
    expect(importsIn(text)).toEqual(['a', 'b', 'c', './d.ts', 'e']);
  });
});

describe('findViolations', () => {
  const allowed = { 'packages/config': [], 'packages/engine': ['packages/config'] };

  test('a package may import the packages above it in the list, its own files and npm packages', () => {
    for (const specifier of [
      '@seaplane/config',
      '@seaplane/config/step.ts',
      './step.ts',
      '../test/x.ts',
      'node:fs',
      'pg',
    ]) {
      expect(findViolations([pkg('packages/config'), pkg('packages/engine', specifier)], allowed)).toEqual([]);
    }
  });

  test('an import of a package further down the list is reported with its file', () => {
    expect(findViolations([pkg('packages/config', '@seaplane/engine'), pkg('packages/engine')], allowed)).toEqual([
      'packages/config/src/main.ts imports @seaplane/engine: packages/config may not import packages/engine',
    ]);
  });

  test('a relative path out of the package is reported as well', () => {
    const [violation] = findViolations([pkg('packages/config', '../../engine/src/run.ts')], { 'packages/config': [] });
    expect(violation).toContain('packages/config may not import packages/engine/src/run.ts');
  });

  test('a package that the table does not know is a violation', () => {
    expect(findViolations([pkg('packages/new')], {})[0]).toContain('packages/new is not in ALLOWED_IMPORTS');
  });

  test('tests may import what is allowed in tests, and nothing else may', () => {
    const find = (file: string) =>
      findViolations(
        [pkg('dev/cluster'), { ...pkg('packages/config'), imports: [{ file, specifier: '@seaplane/cluster' }] }],
        { 'dev/cluster': [], 'packages/config': [] },
        ['dev/cluster'],
      );
    expect(find('packages/config/src/a.system.test.ts')).toEqual([]);
    expect(find('packages/config/src/testing/a.ts')).toEqual([]);
    expect(find('packages/config/src/room/testing/a.ts')).toEqual([]);
    expect(find('packages/config/src/a.ts')).toHaveLength(1);
  });

  test('the table lists a package below all that it imports, and so has no circle', () => {
    expect(findViolations([], { a: [], b: ['a'] })).toEqual([]);
    expect(findViolations([], { a: ['b'], b: ['a'] })).toEqual([
      'ALLOWED_IMPORTS lets a import b, which does not stand above it',
    ]);
    expect(findViolations([], { a: ['a'] })).toHaveLength(1);
  });
});

test('this repository keeps the rule', async () => {
  const packages = await readWorkspacePackages(join(import.meta.dirname, '../../..'));
  expect(packages.length).toBeGreaterThan(3);
  expect(findViolations(packages, ALLOWED_IMPORTS, ALLOWED_IN_TESTS)).toEqual([]);
});
