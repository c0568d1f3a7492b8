import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Fields } from '../fields.ts';
import { type Git, git, gitLines } from './git.ts';

/** All submodules, none, or those whose paths are listed. */
export async function updateSubmodules(within: Git, params: Fields, which: unknown, depth: number): Promise<void> {
  if (which === 'none' || !existsSync(join(within.cwd, '.gitmodules'))) return;
  const listed = which === undefined || which === null || which === 'all' ? undefined : params.texts('submodules');
  await git(within, ['submodule', '--quiet', 'sync']);
  const flags = [
    ...(params.optionalFlag('submodule_recursive') === false ? [] : ['--recursive']),
    ...(params.flag('submodule_remote') ? ['--remote'] : []),
    ...(depth > 0 ? [`--depth=${depth}`] : []),
  ];
  const entries = await gitLines(within, ['config', '--file', '.gitmodules', '--get-regexp', '\\.path$'], {
    ok: [0, 1],
  });
  for (const path of entries.map((line) => line.slice(line.indexOf(' ') + 1))) {
    if (listed && !listed.includes(path)) continue;
    if (!existsSync(join(within.cwd, path))) {
      within.log(`warning: skipping missing submodule: ${path}`);
      continue;
    }
    await git(within, ['submodule', '--quiet', 'update', '--init', ...flags, '--', path]);
  }
}
