import { spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { DEAD_BUT_FOR_TESTS } from './dead-code.ts';
import { ROOT } from './steps.ts';

/** A repository with one package. Each export of `parts.ts` is used in one place, after which it is named. */
const FILES = {
  'package.json': JSON.stringify({
    name: 'r',
    private: true,
    type: 'module',
    workspaces: ['packages/*', 'dev/*'],
    devDependencies: { vitest: '1' },
  }),
  'dev/bootstrap.mjs': '',
  'vitest.config.ts': `export default { test: { globalSetup: ['packages/a/src/testing/global-setup.ts'] } };`,
  'packages/a/package.json': JSON.stringify({ name: 'a', type: 'module', exports: { '.': './src/index.ts' } }),
  'packages/a/src/index.ts': `export { offered } from './parts.ts';`,
  'packages/a/src/parts.ts': ['inProduct', 'inTest', 'inTesting', 'inSetup', 'offered']
    .map((name) => `export const ${name} = 1;\n`)
    .join(''),
  'packages/a/src/main.ts': `import { inProduct } from './parts.ts';\nconsole.log(inProduct);`,
  'packages/a/src/parts.test.ts': `import { offered } from './index.ts';\nimport { inTest } from './parts.ts';\nimport './testing/double.ts';\nconsole.log(inTest, offered);`,
  'packages/a/src/testing/double.ts': `import { inTesting } from '../parts.ts';\nexport const double = inTesting;`,
  'packages/a/src/testing/global-setup.ts': `import { inSetup } from '../parts.ts';\nexport default () => inSetup;`,
};

test('an export that only tests or folders named testing use is dead', { timeout: 60_000 }, async () => {
  const repository = await mkdtemp(join(tmpdir(), 'dead-code-'));
  try {
    for (const [name, text] of Object.entries(FILES)) {
      await mkdir(dirname(join(repository, name)), { recursive: true });
      await writeFile(join(repository, name), text);
    }
    await cp(join(ROOT, 'knip.product.json'), join(repository, 'knip.product.json'));
    await symlink(join(ROOT, 'node_modules'), join(repository, 'node_modules'));
    const knip = join(ROOT, 'node_modules/.bin/knip');
    const { stdout, stderr } = spawnSync(knip, [...DEAD_BUT_FOR_TESTS, '--reporter', 'json'], {
      cwd: repository,
      encoding: 'utf8',
    });
    expect(stderr.replace(/^npm warn.*\n/gm, '')).toBe('');
    const { issues } = JSON.parse(stdout) as { issues: { file: string; exports: { name: string }[] }[] };
    const dead = issues.flatMap(({ file, exports }) => exports.map(({ name }) => `${file} ${name}`));
    expect(dead.sort()).toEqual([
      'packages/a/src/index.ts offered',
      'packages/a/src/parts.ts inSetup',
      'packages/a/src/parts.ts inTest',
      'packages/a/src/parts.ts inTesting',
      'packages/a/src/parts.ts offered',
    ]);
  } finally {
    await rm(repository, { recursive: true, force: true });
  }
});
