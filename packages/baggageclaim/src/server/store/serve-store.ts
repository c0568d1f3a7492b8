import { createApp } from '../http/app.ts';
import { selfSignedCertificate } from '../http/certificate.ts';
import { contextOf, type ServerOptions, type Serving } from '../http/serve-options.ts';
import { httpPull } from '../trees/http-pull.ts';
import { createImageApp } from './image-app.ts';
import { ImageShelf } from './image-shelf.ts';
import { Store } from './store.ts';
import { addStoreRoutes } from './store-routes.ts';

export interface StoreOptions extends ServerOptions {
  /** Where images are served, to whoever knows their names, by plain HTTP. */
  readonly imagesAt: string;
}

/** Serves a target's store. */
export async function serveStore(options: StoreOptions, dir: string): Promise<Serving & { imageAddress: string }> {
  const { runtime, at, imagesAt } = options;
  const context = await contextOf(options);
  const store = await Store.open(dir);
  const images = await ImageShelf.open(dir, (id) => store.has(id));
  const app = createApp(context, () => false);
  addStoreRoutes(app, { store, images, puller: { runtime, pull: httpPull(runtime) } });
  const certificate = await selfSignedCertificate(options.handle);
  const listener = await runtime.serve({ at, fetch: app.fetch, certificate });
  const imageListener = await runtime.serve({ at: imagesAt, fetch: createImageApp(images).fetch });
  return {
    address: listener.address,
    imageAddress: imageListener.address,
    async [Symbol.asyncDispose]() {
      await Promise.all([listener.stop(), imageListener.stop()]);
    },
  };
}
