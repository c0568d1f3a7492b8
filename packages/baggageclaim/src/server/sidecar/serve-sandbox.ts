import { serverCertificate } from '../../protocol/certificate.ts';
import type { SandboxDirectories, Witness } from '../../protocol/places.ts';
import { createApp } from '../http/app.ts';
import { createContext, type ServerOptions, type Serving } from '../http/serve-options.ts';
import { httpPull } from '../trees/http-pull.ts';
import { openHijack } from './open-hijack.ts';
import type { Network } from './process-control.ts';
import { openSandbox } from './sandbox.ts';
import { addSandboxRoutes } from './sandbox-routes.ts';

export interface SandboxOptions extends ServerOptions {
  /** Of a hermetic step: no process starts before this store has helped to prove that the network is closed. */
  readonly witness?: Witness;
}

/** Serves a sandbox, as its sidecar. */
export async function serveSandbox(options: SandboxOptions, directories: SandboxDirectories): Promise<Serving> {
  const { runtime, at, handle } = options;
  const context = await createContext(options); // first, so that a malformed key leaves no traces
  const network = await openNetwork(options);
  const [sandbox, certificate] = await Promise.all([
    openSandbox(directories, network, { runtime, pull: httpPull(runtime) }),
    serverCertificate(handle, options.authorityKey),
  ]);
  const app = createApp(context, () => ({ supervisor: sandbox.link.connected }));
  addSandboxRoutes(app, runtime, sandbox);
  const upgrade = (request: Request) => openHijack(context, sandbox, request);
  const listener = await runtime.serve({ at, fetch: app.fetch, certificate, upgrade });
  return {
    address: listener.address,
    async [Symbol.asyncDispose]() {
      await sandbox[Symbol.asyncDispose]();
      await listener.stop();
    },
  };
}

/** The proof is begun at once: it takes as long as the cluster's network plugin needs. */
async function openNetwork({ runtime, witness, authorityKey }: SandboxOptions): Promise<Network> {
  if (!witness) return { proven: async () => {} };
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
