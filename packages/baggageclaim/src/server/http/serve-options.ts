import type { Runtime } from '../runtime/runtime.ts';
import type { AppContext } from './app.ts';
import { createVerifier } from './grants.ts';

export interface ServerOptions {
  readonly runtime: Runtime;
  /** The name of this sandbox or store. Tokens must be made for it. */
  readonly handle: string;
  readonly publicKeys: readonly string[];
  /** The key of the worker's authority: PKCS #8, base64url. */
  readonly authorityKey: string;
  readonly version: string;
  /** `HOST:PORT`. */
  readonly at: string;
}

export interface Serving extends AsyncDisposable {
  readonly address: string;
}

export async function createContext({ handle, version, publicKeys }: ServerOptions): Promise<AppContext> {
  return { handle, version, verify: await createVerifier(handle, publicKeys), now: () => Date.now() / 1000 };
}
