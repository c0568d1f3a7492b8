import { readFile, rename, writeFile } from 'node:fs/promises';

/**
 * Tells the supervisor from other processes of the step's container, which may be root and may reach the same socket
 * and files. The supervisor makes a secret when it starts and sends it on each control connection. The first one is
 * believed: it comes before any process of the step exists, since the supervisor starts processes only when this server
 * asks it to. From then on no other secret is.
 *
 * The secret is written to a file that the step's container does not have, before the first connection is used. So a
 * server that was killed at any moment either knows its supervisor, or has not let it start a process yet.
 */
export class SupervisorSecret {
  readonly #path: string;
  #secret: string | undefined;
  #written: Promise<void> = Promise.resolve();

  private constructor(path: string, secret: string | undefined) {
    this.#path = path;
    this.#secret = secret;
  }

  static async open(path: string): Promise<SupervisorSecret> {
    const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    return new SupervisorSecret(path, text);
  }

  /** Whether a control connection with this secret is the supervisor's. Rejects when the first one cannot be written. */
  async admit(offered: string): Promise<boolean> {
    if (!/^[0-9a-f]{64}$/.test(offered)) return false;
    if (this.#secret === undefined) {
      this.#secret = offered;
      this.#written = this.#write(offered);
    }
    if (!isEqual(this.#secret, offered)) return false;
    await this.#written;
    return true;
  }

  /** The text that the supervisor sealed: the first line, if the second is its HMAC. Otherwise undefined. */
  async unseal(text: string): Promise<string | undefined> {
    const [json = '', seal = ''] = text.split('\n');
    if (this.#secret === undefined || !/^[0-9a-f]{64}$/.test(seal)) return undefined;
    const algorithm = { name: 'HMAC', hash: 'SHA-256' };
    const key = await crypto.subtle.importKey('raw', Buffer.from(this.#secret), algorithm, false, ['verify']);
    const isSealed = await crypto.subtle.verify('HMAC', key, Buffer.from(seal, 'hex'), Buffer.from(json));
    return isSealed ? json : undefined;
  }

  async #write(secret: string): Promise<void> {
    try {
      await writeFile(`${this.#path}.partial`, secret, { mode: 0o600 });
      await rename(`${this.#path}.partial`, this.#path);
    } catch (error) {
      this.#secret = undefined; // nothing has been started yet, so the next connection is the first again
      throw error;
    }
  }
}

/** In a time that does not depend on where the texts differ. */
function isEqual(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i);
  return difference === 0;
}
