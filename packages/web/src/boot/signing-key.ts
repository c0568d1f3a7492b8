import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createSigner, generateKeys, type Signer } from '@seaplane/baggageclaim';
import { WebError } from './web-error.ts';

/**
 * The key that web signs its requests to sandboxes with. It must outlive web: sandboxes that run trust no other. Several
 * webs on one database share one file.
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
      `${path} does not hold the key that requests to pods are signed with. Put it back; or remove the file to have a new ` +
        'key made, and steps that run now will be lost, since their pods trust the old one.',
      { cause },
    );
  }
}
