import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { IdentityAlgorithm } from './identity.ts';
import type { IdentityKey } from './make-identity-key.ts';

const PROGRAM = fileURLToPath(new URL('./identity-key-program.ts', import.meta.url));

/**
 * A new key, made in a process of its own. Node cannot give up an RSA key that it has begun, and does not exit before the
 * key is complete, which takes many seconds on a busy machine. This process is killed when `signal` is aborted.
 */
export async function makeKeyApart(
  algorithm: IdentityAlgorithm,
  signal: AbortSignal,
  rsaBits?: number,
): Promise<IdentityKey> {
  const args = [PROGRAM, algorithm, ...(rsaBits === undefined ? [] : [String(rsaBits)])];
  const { stdout } = await promisify(execFile)(process.execPath, args, { signal, killSignal: 'SIGKILL' });
  return JSON.parse(stdout) as IdentityKey;
}
