import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { getRequestListener } from '@hono/node-server';
import { serverCertificate } from '@seaplane/baggageclaim';
import {
  Accounts,
  type AppContext,
  ArtifactReceiver,
  addStoreRoutes,
  createApp,
  createContext,
  DirectoryStore,
  httpPull,
  locateArtifact,
  measureTree,
  type ProvideRegistryImage,
  type Runtime,
} from '@seaplane/baggageclaim/server';
import { HostError } from '@seaplane/orchestrator';
import type { Places } from '../places.ts';
import { AGENT_NAME, type AgentInfo, otherIsolation, STORE_PREFIX } from '../protocol.ts';
import { takeAgentLock } from './agent-lock.ts';
import type { AgentSettings } from './agent-settings.ts';
import { checkMachine } from './check-machine.ts';
import { createControlApp } from './control-app.ts';
import { copyHere } from './copy-here.ts';
import type { Mode } from './enter-command.ts';
import { artifactImages } from './images.ts';
import { LocalSandboxes } from './local-sandboxes.ts';
import { noImages, tryPlain } from './plain-sandbox.ts';
import { probe } from './probe.ts';
import { removeTree } from './sandbox-directory.ts';
import { findHere } from './trees-here.ts';

/** Between two looks for layers that nobody has used for long. */
const COLLECTION_INTERVAL_MS = 600_000;

export interface AgentOptions extends Omit<AgentSettings, 'server' | 'mode' | 'findHere'> {
  readonly nonce: string;
  readonly runtime: Runtime;
  readonly installation: string;
  readonly publicKey: string;
  readonly authorityKey: string;
  readonly version: string;
}

/** Serves the sandboxes and the store of this machine until the process ends. Returns when it serves. */
export async function serveAgent(options: AgentOptions): Promise<void> {
  const { places, runtime, installation, publicKey, authorityKey, version, plainProcesses, supervisor } = options;
  await takeAgentLock(places.root, supervisor);
  await claimDirectory(places, installation);
  await claimIsolation(places, plainProcesses);
  await emptyIncoming(places);
  const storeContext = await createContext({ runtime, publicKeys: [publicKey], version, handle: AGENT_NAME });
  let address = ''; // known when the agent listens, before any process can be started
  const find = findHere({
    address: () => address,
    locateInSandbox: (handle, path, token) => {
      const found = sandboxes.find(handle)?.server;
      return found ? found.locate(path, token) : Promise.reject(new Error(`there is no sandbox ${handle} here`));
    },
    locateArtifact: (id, token) => locateArtifact(storeContext, store, id, token),
  });
  const server = { runtime, publicKeys: [publicKey], version, copyHere: copyHere(find) };
  const settings: AgentSettings = { ...options, server, findHere: find, mode: rememberMode(options) };
  const sandboxes = new LocalSandboxes(settings);
  const store = await DirectoryStore.open(runtime, places.store, sandboxes.placeAfter);
  const storeFetch = await openStore(settings, storeContext, store, sandboxes.provideRegistryImage);
  await sandboxes.open();
  collectOften(sandboxes);
  const certificate = await serverCertificate(AGENT_NAME, authorityKey);
  const notFound = () =>
    Response.json({ error: { code: 'not-found', message: 'no such sandbox here' } }, { status: 404 });
  const listener = await listenAtLastPort(places, (at) =>
    runtime.serve({
      at,
      certificate,
      fetch: (request) => {
        if (new URL(request.url).pathname.startsWith(`${STORE_PREFIX}/`)) return storeFetch(request);
        return sandboxes.find(handleIn(request))?.server?.fetch(request) ?? notFound();
      },
      upgrade: async (request) => sandboxes.find(handleIn(request))?.server?.upgrade(request) ?? notFound(),
    }),
  );
  address = listener.address;
  const info: AgentInfo = {
    nonce: options.nonce,
    installation,
    publicKey,
    plainProcesses,
    port: Number(listener.address.split(':').at(-1)),
  };
  const check = () => checkMachine(settings);
  await serveControl(places, getRequestListener(createControlApp({ sandboxes, store, info, check }).fetch));
}

/** At the start, and then every so often. Nobody waits for it. */
function collectOften(sandboxes: LocalSandboxes): void {
  const collect = () =>
    void sandboxes.collectImages().catch((error: Error) => console.error(`cannot collect images: ${error.message}`));
  collect();
  setInterval(collect, COLLECTION_INTERVAL_MS);
}

/** Tries until it works once: then the machine can do it. */
function rememberMode({ supervisor, places, plainProcesses }: AgentOptions): AgentSettings['mode'] {
  let known: Mode | undefined;
  return async () => {
    if (known) return known;
    if (plainProcesses) {
      await tryPlain(supervisor);
      known = { userxattr: false, oneId: true };
      return known;
    }
    const probed = await probe(supervisor, places.incoming);
    if (!probed.works) throw new HostError('refused', probed.why);
    known = probed.mode;
    return known;
  };
}

/** Everything in the directory belongs to one database. Sandboxes of another one would be taken for our own. */
async function claimDirectory(places: Places, installation: string): Promise<void> {
  const owner = await readFile(places.installation, 'utf8').catch(() => undefined);
  if (owner === undefined) await writeFile(places.installation, installation, { flush: true });
  else if (owner !== installation) {
    throw new Error(`${places.root} belongs to another database: remove it, or choose another data directory`);
  }
}

/** Sandboxes of the other kind would be started and ended in the wrong way. */
async function claimIsolation({ root, plainProcesses, sandboxes }: Places, isPlain: boolean): Promise<void> {
  if (isPlain && !existsSync(sandboxes)) await writeFile(plainProcesses, '', { flush: true });
  const wasPlain = existsSync(plainProcesses);
  if (wasPlain !== isPlain) throw new Error(otherIsolation(root, wasPlain));
}

/** An agent that was killed left these. They may be large, so nobody waits for their removal. */
async function emptyIncoming({ incoming }: Places): Promise<void> {
  await mkdir(incoming, { recursive: true });
  for (const name of await readdir(incoming)) {
    removeTree(join(incoming, name)).catch((error: Error) => console.error(`cannot remove ${name}: ${error.message}`));
  }
}

async function openStore(
  { places, server, plainProcesses }: AgentSettings,
  context: AppContext,
  store: DirectoryStore,
  provideRegistryImage: ProvideRegistryImage,
) {
  const measure = async (id: string) => (await measureTree(await store.directoryOf(id))).diskBytes;
  const accounts = await Accounts.open(places.store, Number.MAX_SAFE_INTEGER, await store.list(), measure);
  const receiver = new ArtifactReceiver({ store, accounts, pull: httpPull(server.runtime) });
  const app = createApp(context, () => ({ supervisor: false }), STORE_PREFIX);
  const images = plainProcesses
    ? { make: () => Promise.reject(noImages()), delete: async () => {} }
    : artifactImages(store);
  addStoreRoutes(app, { store, images, provideRegistryImage, receiver, accounts });
  return (request: Request) => app.fetch(request);
}

/** Clients follow output at the address that they know. */
async function listenAtLastPort<T extends { readonly address: string }>(
  { port }: Places,
  listen: (at: string) => Promise<T>,
): Promise<T> {
  const last = Number(await readFile(port, 'utf8').catch(() => '0'));
  const listener = await listen(`127.0.0.1:${last || 0}`).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE' || !last) throw error;
    return listen('127.0.0.1:0');
  });
  await writeFile(port, listener.address.split(':').at(-1) ?? '');
  return listener;
}

async function serveControl({ socket }: Places, listener: ReturnType<typeof getRequestListener>): Promise<void> {
  await rm(socket, { force: true }); // a killed agent left it
  const server = createServer({ requestTimeout: 0 }, listener);
  await once(server.listen(socket), 'listening');
}

function handleIn({ url }: Pick<Request, 'url'>): string {
  const [, handle = ''] = /^\/sandboxes\/([^/]+)\//.exec(new URL(url).pathname) ?? [];
  return decodeURIComponent(handle);
}
