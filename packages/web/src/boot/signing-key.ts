import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createSigner, generateKeys, type Signer } from '@seaplane/baggageclaim';
import { WebError } from './web-error.ts';

/**
 * Loads the key with which web signs its requests to sandboxes, and makes it at the first start. The key must outlive web,
 * because running sandboxes trust no other key. Webs on one database share one file.
 */
export async function loadSigner(path: string): Promise<Signer> {
  await mkdir(dirname(path), { recursive: true });
  const { privateKey } = generateKeys();
  await writeFile(path, `${privateKey}\n`, { flag: 'wx', mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  try {
    return createSigner((await readFile(path, 'utf8')).trim());
  } catch (cause) {
    throw new WebError(
      'bad-signing-key',
      `${path} does not hold the key that requests to pods are signed with. Put the key back. Or remove the file: web makes ` +
        'a new key, and running steps are lost, because their pods trust the old one.',
      { cause },
    );
  }
}
