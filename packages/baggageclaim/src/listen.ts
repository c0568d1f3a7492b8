import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';

export interface Listener {
  /** `host:port`, with the port that was chosen if 0 was asked for. */
  readonly address: string;
  /** Takes no new requests, and resolves when those under way have ended. */
  stop(): Promise<void>;
}

type Fetch = (request: Request) => Response | Promise<Response>;

/** The part of Bun's server that is used. */
interface BunServer {
  readonly port: number;
  stop(): Promise<void>;
}
declare const Bun: { serve(options: object): BunServer } | undefined;

/** Serves `fetch` at `host:port`, by Bun's own server where there is one, else by Node's. */
export async function listen(fetch: Fetch, at: string): Promise<Listener> {
  const [, hostname, port] = /^(.+):(\d+)$/.exec(at) ?? [];
  if (!hostname || !port) throw new Error(`not an address to listen at: ${at} (HOST:PORT)`);
  // A volume may be of any size and take any time, so neither server may cut a request off.
  if (typeof Bun !== 'undefined') {
    const options = {
      fetch,
      hostname,
      port: Number(port),
      idleTimeout: 0,
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    };
    const server = Bun.serve(options);
    return { address: `${hostname}:${server.port}`, stop: () => server.stop() };
  }
  const server = serve({ fetch, hostname, port: Number(port), serverOptions: { requestTimeout: 0 } }) as Server;
  await once(server, 'listening');
  return {
    address: `${hostname}:${(server.address() as AddressInfo).port}`,
    stop: () => close(server),
  };
}

/** A connection whose last request has ended may be kept open by the client: those are closed too. */
function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const sweep = setInterval(() => server.closeIdleConnections(), 20);
    server.close(() => {
      clearInterval(sweep);
      resolve();
    });
  });
}
