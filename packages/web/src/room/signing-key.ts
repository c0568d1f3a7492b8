import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdir, open, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { WebError } from '../web-error.ts';

/**
 * The key that web signs its requests to sandboxes with. It must outlive web: sandboxes that run trust no other. Several
 * webs on one database share one file.
 */
export async function loadSigningKey(path: string): Promise<KeyObject> {
  await mkdir(dirname(path), { recursive: true });
  try {
    const file = await open(path, 'wx', 0o600);
    const { privateKey } = generateKeyPairSync('ed25519');
    await file.writeFile(privateKey.export({ type: 'pkcs8', format: 'pem' }));
    await file.sync();
    await file.close();
    return privateKey;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  try {
    const key = createPrivateKey(await readFile(path));
    if (key.asymmetricKeyType !== 'ed25519') throw new Error(`it is of the type ${key.asymmetricKeyType}`);
    return key;
  } catch (cause) {
    throw new WebError(
      'bad-signing-key',
      `the signing key ${path} is not an Ed25519 private key in PEM (${(cause as Error).message}). Remove it to have a new ` +
        'one made; steps that run will then be lost, since their pods trust the old one.',
      { cause },
    );
  }
}
