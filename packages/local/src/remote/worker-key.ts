import { readFile } from 'node:fs/promises';
import type { SecureContextOptions } from 'node:tls';
import { HostError } from '@seaplane/orchestrator';

const SHORTEST = 32;

/** A key with forward secrecy. Both sides prove that they have it before either sends anything else. */
export const KEY_TLS: SecureContextOptions = {
  minVersion: 'TLSv1.2',
  maxVersion: 'TLSv1.2',
  ciphers: 'ECDHE-PSK-CHACHA20-POLY1305',
};

/** Reads the secret that web and a worker share. Throws `bad-config` if the file has none. */
export async function readWorkerKey(path: string): Promise<Buffer> {
  const text = await readFile(path, 'utf8').catch((cause: Error) => {
    throw new HostError('bad-config', `the key ${path} cannot be read: ${cause.message}`, { cause });
  });
  const key = Buffer.from(text.trim());
  if (key.length >= SHORTEST && key.length <= 256) return key;
  throw new HostError(
    'bad-config',
    `the key ${path} must have ${SHORTEST} to 256 characters: openssl rand -hex 32 makes one`,
  );
}
