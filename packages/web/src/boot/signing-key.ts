import { createSigner, generateKeys, type Signer } from '@seaplane/baggageclaim';
import { readOrMake } from './read-or-make.ts';
import { WebError } from './web-error.ts';

/**
 * Loads the key with which web signs its requests to sandboxes, and makes it at the first start. The key must outlive web,
 * because running sandboxes trust no other key. Webs on one database share one file.
 */
export async function loadSigner(path: string): Promise<Signer> {
  const text = await readOrMake(path, () => `${generateKeys().privateKey}\n`);
  try {
    return createSigner(text.trim());
  } catch (cause) {
    throw new WebError(
      'bad-signing-key',
      `${path} does not hold the key that requests to pods are signed with. Put the key back. Or remove the file: web makes ` +
        'a new key, and running steps are lost, because their pods trust the old one.',
      { cause },
    );
  }
}
