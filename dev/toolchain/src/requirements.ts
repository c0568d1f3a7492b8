import { spawnSync } from 'node:child_process';
import { missingPackages, refusalOf } from './debian-packages.ts';
import { judgeGoVersion } from './go.ts';

// Each function says, in words for a person, why the machine lacks something; undefined means that it is there or can be
// installed. None of them changes anything, so that commands can end early and tests can be skipped by them.

/** Asks for packages that {@link ensureDebianPackages} will be asked for. */
export function whyNoPackages(names: readonly string[]): string | undefined {
  return refusalOf(missingPackages(names));
}

export function whyNoGo(): string | undefined {
  const { status, stdout } = spawnSync('go', ['env', 'GOVERSION'], { cwd: '/', encoding: 'utf8' });
  return judgeGoVersion(status === 0 ? stdout : undefined);
}
