import { type AppContext, addSandboxRoutes, bearer, createApp } from './app.ts';
import { BaggageclaimError } from './baggageclaim-error.ts';
import { selfSignedCertificate } from './certificate.ts';
import { createVerifier, requireScope } from './grants.ts';
import { HijackSession } from './hijack-session.ts';
import { httpPull } from './http-pull.ts';
import { createImageApp } from './image-app.ts';
import { ImageShelf } from './image-shelf.ts';
import { listen } from './listen.ts';
import { ROUTES } from './protocol.ts';
import { openSandbox, type SandboxDirectories } from './sandbox.ts';
import { Store } from './store.ts';
import { addStoreRoutes } from './store-routes.ts';

export interface ServeOptions {
  readonly handle: string;
  readonly publicKeys: readonly string[];
  readonly version: string;
  /** `HOST:PORT`. */
  readonly at: string;
}

export interface Serving extends AsyncDisposable {
  readonly address: string;
}

/** Serves a sandbox, as its sidecar. */
export async function serveSandbox(options: ServeOptions, directories: SandboxDirectories): Promise<Serving> {
  const sandbox = await openSandbox(directories, httpPull);
  const context = contextOf(options);
  const app = createApp(context, () => sandbox.link.connected);
  addSandboxRoutes(app, sandbox);
  const listener = await listen({
    at: options.at,
    fetch: app.fetch,
    certificate: selfSignedCertificate(options.handle),
    upgrade(request) {
      if (new URL(request.url).pathname !== ROUTES.hijack)
        throw new BaggageclaimError('not-found', 'no WebSocket here');
      const token = bearer(request.headers.get('Authorization') ?? undefined);
      requireScope(context.verify(token, context.now()), 'hijack');
      return new HijackSession(sandbox.link);
    },
  });
  return {
    address: listener.address,
    async [Symbol.asyncDispose]() {
      await sandbox[Symbol.asyncDispose]();
      await listener.stop();
    },
  };
}

export interface StoreOptions extends ServeOptions {
  /** Where images are served, to whoever knows their names, by plain HTTP. */
  readonly imagesAt: string;
}

/** Serves a target's store. */
export async function serveStore(options: StoreOptions, dir: string): Promise<Serving & { imageAddress: string }> {
  const [store, images] = [await Store.open(dir), await ImageShelf.open(dir)];
  const app = createApp(contextOf(options), () => false);
  addStoreRoutes(app, { store, images, pull: httpPull });
  const certificate = selfSignedCertificate(options.handle);
  const listener = await listen({ at: options.at, fetch: app.fetch, certificate });
  const imageListener = await listen({ at: options.imagesAt, fetch: createImageApp(images).fetch });
  return {
    address: listener.address,
    imageAddress: imageListener.address,
    async [Symbol.asyncDispose]() {
      await Promise.all([listener.stop(), imageListener.stop()]);
    },
  };
}

function contextOf({ handle, version, publicKeys }: ServeOptions): AppContext {
  return { handle, version, verify: createVerifier(handle, publicKeys), now: () => Date.now() / 1000 };
}
