import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stderrProgress } from '@seaplane/dev-toolchain/progress.ts';
import { imageRootfs } from '../build-images.ts';
import { type Outcome, runPrivileged, runUnprivileged, type Sandbox } from './sandbox.ts';

/** The programs of the mock image, run on directories of this machine. */
export interface MockPrograms extends AsyncDisposable {
  /** A private copy of the image's root file system. */
  readonly rootfs: string;
  /** A new empty directory. */
  directory(): Promise<string>;
  run(action: Action, request: unknown, options?: MockOptions): Promise<Outcome>;
}

type Action = 'check' | 'in' | 'out';

export interface MockOptions extends Pick<Sandbox, 'env' | 'root'> {
  readonly args?: readonly string[];
  readonly privileged?: boolean;
}

export async function mockPrograms(): Promise<MockPrograms> {
  const dir = await mkdtemp(join(tmpdir(), 'mock-image-'));
  const rootfs = join(dir, 'rootfs');
  await cp(await imageRootfs('mock', stderrProgress('test')), rootfs, { recursive: true, verbatimSymlinks: true });
  return {
    rootfs,
    directory: () => mkdtemp(join(dir, 'dir-')),
    run: (action, request, { args = [], privileged = false, root, env } = {}) => {
      const program = root ? `/opt/resource/${action}` : join(rootfs, 'opt/resource', action);
      const input = typeof request === 'string' ? request : JSON.stringify(request);
      const sandbox = { input, ...(root && { root }), ...(env && { env }) };
      return (privileged ? runPrivileged : runUnprivileged)([program, ...args], sandbox);
    },
    [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }),
  };
}

/** A log line as the programs write it within their first second. */
export function info(message: string): string {
  return `\x1b[36mINFO\x1b[0m[0000] ${message.padEnd(44)} \n`;
}

export function fatal(message: string): string {
  return `\x1b[31mFATA\x1b[0m[0000] ${message.padEnd(44)} \n`;
}
