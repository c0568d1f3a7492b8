import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { whyNoPackages } from '@seaplane/dev-toolchain/requirements.ts';
import { whyNoRoot } from '@seaplane/dev-toolchain/testing/requirements.ts';
import { Supervised } from './supervised.ts';

/** Why there is no image of busybox, or no right to make a sandbox of it. */
export function whyNoBusybox(): string | undefined {
  return whyNoRoot() ?? whyNoPackages(['busybox-static']);
}

export const ID_BASE = 1879048192;
export const MANY_IDS: readonly string[] = ['--ids', String(ID_BASE), '65536'];

/** The directory of a sandbox, as the local host lays it out. */
export interface Place {
  readonly dir: string;
  at(name: string): string;
  /** The options of `--enter` up to `--`. */
  options(lower: string, extra?: readonly string[]): string[];
  [Symbol.dispose](): void;
}

export function makePlace(): Place {
  const dir = mkdtempSync(join(tmpdir(), 'sandboxed-'));
  for (const name of ['scratch/upper', 'scratch/work', 'control', 'build']) {
    mkdirSync(join(dir, name), { recursive: true });
  }
  const at = (name: string) => join(dir, name);
  return {
    dir,
    at,
    options: (lower, extra = []) => [
      ...['--enter', '--lower', lower, '--scratch', at('scratch'), '--lock', at('lock')],
      ...['--pid', at('pid'), '--over', at('over'), '--bind', at('control'), '/tmp/seaplane'],
      ...['--bind', at('build'), '/tmp/build', ...extra, '--'],
    ],
    [Symbol.dispose]: () => rmSync(dir, { recursive: true, force: true }),
  };
}

/** The supervisor in a sandbox of its own. */
export function startIn(
  place: Place,
  program: string,
  lower: string,
  extra: readonly string[] = [],
  wrap: readonly string[] = [],
): Promise<Supervised> {
  const options = place.options(lower, extra);
  const env = { PATH: process.env['PATH'] };
  return Supervised.start(program, { dir: place.at('control'), seenAs: '/tmp/seaplane', options, wrap, env });
}

/** A directory `lower` that can be an input, and a place for it in the sandbox. */
export function makeInput({ at }: Place): void {
  for (const name of ['lower/old', 'build/in']) mkdirSync(at(name), { recursive: true });
  writeFileSync(at('lower/file'), 'text\n');
  writeFileSync(at('lower/old/file'), 'old\n');
}

/** The options that show it in the sandbox of the place. Each try needs another directory for its changes. */
export function inputOptions({ at }: Place, path = '/tmp/build/in', scratch = 'input'): string[] {
  for (const name of ['upper', 'work']) mkdirSync(at(`${scratch}/${name}`), { recursive: true });
  return ['--input', '--pid', at('pid'), '--lower', at('lower'), '--scratch', at(scratch), '--at', path];
}
