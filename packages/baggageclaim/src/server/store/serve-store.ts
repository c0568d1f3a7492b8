import { createApp } from '../http/app.ts';
import { selfSignedCertificate } from '../http/certificate.ts';
import { createContext, type ServerOptions, type Serving } from '../http/serve-options.ts';
import { httpPull } from '../trees/http-pull.ts';
import { ArtifactReceiver } from './artifact-receiver.ts';
import type { StoreUsage } from './artifact-store.ts';
import { DirectoryStore } from './directory-store.ts';
import { createImageApp } from './image-app.ts';
import { ImageShelf } from './image-shelf.ts';
import { addStoreRoutes } from './store-routes.ts';

export interface StoreOptions extends ServerOptions {
  /** `HOST:PORT` to serve images at, by plain HTTP, to every client that knows their names. */
  readonly imagesAt: string;
}

export interface ServingStore extends Serving {
  readonly imageAddress: string;
  /** At the start. */
  readonly usage: StoreUsage;
}

/** Serves a target's store. */
export async function serveStore(options: StoreOptions, dir: string): Promise<ServingStore> {
  const { runtime, at, imagesAt } = options;
  const context = await createContext(options);
  const store = await DirectoryStore.open(runtime, dir);
  const images = await ImageShelf.open({ store, runtime }, dir);
  const app = createApp(context, () => false);
  addStoreRoutes(app, { store, images, receiver: new ArtifactReceiver(store, httpPull(runtime)) });
  const certificate = await selfSignedCertificate(options.handle);
  const listener = await runtime.serve({ at, fetch: app.fetch, certificate });
  const imageListener = await runtime.serve({ at: imagesAt, fetch: createImageApp(images).fetch });
  return {
    address: listener.address,
    imageAddress: imageListener.address,
    usage: await store.usage(),
    async [Symbol.asyncDispose]() {
      await Promise.all([listener.stop(), imageListener.stop()]);
    },
  };
}

/** For the log: `holds 3 artifacts and has 12.5 GB left`. */
export function describeUsage({ artifacts, freeBytes }: StoreUsage): string {
  const kept = `holds ${artifacts} ${artifacts === 1 ? 'artifact' : 'artifacts'}`;
  return freeBytes === undefined ? kept : `${kept} and has ${(freeBytes / 1e9).toFixed(1)} GB left`;
}
