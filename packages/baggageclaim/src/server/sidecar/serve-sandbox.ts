import { serverCertificate } from '../../protocol/certificate.ts';
import type { SandboxDirectories, Witness } from '../../protocol/places.ts';
import { createApp } from '../http/app.ts';
import { requireRead } from '../http/grants.ts';
import { createContext, type PartOptions, type ServerOptions, type Serving } from '../http/serve-options.ts';
import type { SocketHandler } from '../runtime/runtime.ts';
import { httpPull } from '../trees/http-pull.ts';
import { openHijack } from './open-hijack.ts';
import type { Network } from './process-control.ts';
import { openSandbox, type Sandbox } from './sandbox.ts';
import { addSandboxRoutes, readableDirectory } from './sandbox-routes.ts';

export interface SandboxOptions extends ServerOptions {
  /** Of a hermetic step: no process starts before this store has helped to prove that the network is closed. */
  readonly witness?: Witness;
}

export interface SandboxServer extends AsyncDisposable {
  readonly sandbox: Sandbox;
  readonly fetch: (request: Request) => Response | Promise<Response>;
  readonly upgrade: (request: Request) => Promise<SocketHandler | Response>;
  /** Where this machine has the directory that a request for its tree would get. Refuses as the request would. */
  readonly locate: (path: string, token: string) => Promise<string>;
}

/** Nobody asked for a closed network, or the host has made it itself. */
const NOT_TO_PROVE: Network = { proven: async () => {} };

/** Opens a sandbox to be served. */
export async function openSandboxServer(
  options: PartOptions,
  directories: SandboxDirectories,
  network: Network = NOT_TO_PROVE,
): Promise<SandboxServer> {
  const { runtime, prefix = '', copyHere, showHere } = options;
  const context = await createContext(options); // first, so that a malformed key leaves no traces
  const sandbox = await openSandbox(directories, network, {
    runtime,
    pull: httpPull(runtime),
    ...(copyHere ? { copyHere } : {}),
    ...(showHere ? { showHere } : {}),
  });
  const app = createApp(context, () => ({ supervisor: sandbox.link.connected }), prefix);
  addSandboxRoutes(app, runtime, sandbox);
  return {
    sandbox,
    fetch: (request) => app.fetch(request),
    upgrade: (request) => openHijack(context, sandbox, request, prefix),
    locate: async (path, token) => {
      requireRead(await context.verify(token, context.now()), path);
      return readableDirectory(sandbox.volumes, path);
    },
    [Symbol.asyncDispose]: () => sandbox[Symbol.asyncDispose](),
  };
}

/** Serves a sandbox, as its sidecar. */
export async function serveSandbox(options: SandboxOptions, directories: SandboxDirectories): Promise<Serving> {
  const { runtime, at, handle } = options;
  const network = await openNetwork(options);
  const certificate = serverCertificate(handle, options.authorityKey);
  certificate.catch(() => {}); // a public key that is wrong is told first
  const server = await openSandboxServer(options, directories, network);
  const listener = await runtime.serve({
    at,
    certificate: await certificate,
    fetch: server.fetch,
    upgrade: server.upgrade,
  });
  return {
    address: listener.address,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await listener.stop();
    },
  };
}

/** The proof is begun at once: it takes as long as the cluster's network plugin needs. */
async function openNetwork({ runtime, witness, authorityKey }: SandboxOptions): Promise<Network> {
  if (!witness) return NOT_TO_PROVE;
  // Imported here, so that other sidecars are ready sooner.
  const [{ ClosedNetwork }, { networkProbe }] = await Promise.all([
    import('../network/closed-network.ts'),
    import('../network/network-probe.ts'),
  ]);
  const network = new ClosedNetwork(await networkProbe(runtime, witness, authorityKey));
  const start = performance.now();
  network.proven().then(
    () => console.error(`the network was proven closed in ${Math.round(performance.now() - start)} ms`),
    (error: Error) => console.error(error.message), // each process waits for a proof of its own
  );
  return network;
}
