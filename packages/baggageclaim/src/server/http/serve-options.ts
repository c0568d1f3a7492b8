import type { Runtime } from '../runtime/runtime.ts';
import type { CopyHere, ShowHere } from '../trees/pull.ts';
import type { AppContext } from './app.ts';
import { createVerifier } from './grants.ts';

/** One sandbox or store, which a listener serves alone or together with others. */
export interface PartOptions {
  readonly runtime: Runtime;
  /** The name of this sandbox or store. Tokens must be made for it. */
  readonly handle: string;
  readonly publicKeys: readonly string[];
  readonly version: string;
  /** In front of the paths of all requests. Default: nothing. */
  readonly prefix?: string;
  /** Where many sandboxes share a machine: how inputs from there are loaded. Default: as those of other machines. */
  readonly copyHere?: CopyHere;
  /** The same for inputs that need no copy. Default: all are copied. */
  readonly showHere?: ShowHere;
}

export interface ServerOptions extends PartOptions {
  /** The key of the worker's authority: PKCS #8, base64url. */
  readonly authorityKey: string;
  /** `HOST:PORT`. */
  readonly at: string;
}

export interface Serving extends AsyncDisposable {
  readonly address: string;
}

export async function createContext({ handle, version, publicKeys }: PartOptions): Promise<AppContext> {
  return { handle, version, verify: await createVerifier(handle, publicKeys), now: () => Date.now() / 1000 };
}
