import { serverCertificate } from '../../protocol/certificate.ts';
import type { Health } from '../../protocol/messages.ts';
import { createApp } from '../http/app.ts';
import { createContext, type ServerOptions, type Serving } from '../http/serve-options.ts';
import { serveRelay } from '../relay/serve-relay.ts';
import { type Listener, placeOf } from '../runtime/runtime.ts';
import { httpPull } from '../trees/http-pull.ts';
import { measureTree } from '../trees/measure-tree.ts';
import { Accounts, imageKey } from './accounts.ts';
import { ArtifactReceiver } from './artifact-receiver.ts';
import type { StoreUsage } from './artifact-store.ts';
import { DirectoryStore } from './directory-store.ts';
import { createImageApp } from './image-app.ts';
import { ImageShelf } from './image-shelf.ts';
import { describedImages } from './registry-images.ts';
import { addStoreRoutes } from './store-routes.ts';

export interface StoreOptions extends ServerOptions {
  /** `HOST:PORT` to serve images at, by plain HTTP, to every client that knows their names. */
  readonly imagesAt: string;
  /** `HOST:PORT` to serve the relay at, by plain HTTP/2: an address that only a port-forward reaches. */
  readonly relayAt: string;
  /** Of its pod. */
  readonly address?: string;
  /** How many bytes of artifacts and images it may hold. Default: what its disk takes. */
  readonly capacity?: number;
}

export interface ServingStore extends Serving {
  readonly imageAddress: string;
  readonly relayAddress: string;
  /** At the start. */
  readonly usage: StoreUsage;
}

/** Serves a target's store. */
export async function serveStore(options: StoreOptions, dir: string): Promise<ServingStore> {
  const { runtime, at, imagesAt, relayAt } = options;
  const context = await createContext(options);
  const store = await DirectoryStore.open(runtime, dir);
  const images = await ImageShelf.open({ store, runtime }, dir);
  const accounts = await openAccounts(store, images, dir, options.capacity);
  // First: whoever gets an answer from the other port can rely on this one (`ClosedNetwork` does).
  const imageListener = await runtime.serve({ at: imagesAt, fetch: createImageApp(images).fetch });
  let witness: Health['witness'];
  const app = createApp(context, () => ({ supervisor: false, ...(witness && { witness }) }));
  const receiver = new ArtifactReceiver({ store, accounts, pull: httpPull(runtime) });
  addStoreRoutes(app, { store, images, provideRegistryImage: describedImages(), receiver, accounts });
  const certificate = await serverCertificate(options.handle, options.authorityKey);
  const listener = await runtime.serve({ at, fetch: app.fetch, certificate });
  const relayListener = await serveRelay(context, relayAt);
  witness = witnessOf(options.address, listener, imageListener);
  return {
    address: listener.address,
    imageAddress: imageListener.address,
    relayAddress: relayListener.address,
    usage: await store.usage(),
    async [Symbol.asyncDispose]() {
      await Promise.all([listener, imageListener, relayListener].map((each) => each.stop()));
    },
  };
}

function witnessOf(address: string | undefined, pods: Listener, images: Listener): Health['witness'] {
  if (!address) return undefined;
  const host = address.includes(':') ? `[${address}]` : address;
  return {
    url: `https://${host}:${placeOf(pods.address).port}`,
    open: `http://${host}:${placeOf(images.address).port}`,
  };
}

async function openAccounts(
  store: DirectoryStore,
  images: ImageShelf,
  dir: string,
  capacity = Number.MAX_SAFE_INTEGER,
): Promise<Accounts> {
  const imageBytes = new Map([...images.sizes()].map(([id, bytes]) => [imageKey(id), bytes]));
  const measure = async (key: string) =>
    imageBytes.get(key) ?? (await measureTree(await store.directoryOf(key))).diskBytes;
  return Accounts.open(dir, capacity, [...(await store.list()), ...imageBytes.keys()], measure);
}

/** For the log: `holds 3 artifacts and has 12.5 GB left`. */
export function describeUsage({ artifacts, freeBytes }: StoreUsage): string {
  const kept = `holds ${artifacts} ${artifacts === 1 ? 'artifact' : 'artifacts'}`;
  return freeBytes === undefined ? kept : `${kept} and has ${(freeBytes / 1e9).toFixed(1)} GB left`;
}
