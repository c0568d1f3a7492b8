import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { connect } from 'node:net';
import { openRelay, type Relay } from '../client/relay.ts';
import type { Signer } from '../client/signer.ts';
import type { ServerIdentity } from '../protocol/messages.ts';
import { SIDECAR_PORT } from '../protocol/places.ts';
import { createVerifier } from '../server/http/grants.ts';
import { serveRelay } from '../server/relay/serve-relay.ts';
import type { Listener } from '../server/runtime/runtime.ts';
import { certified } from './certified.ts';

/** A server at the port of sidecars, at a loopback address that nobody else uses. */
export interface RelayedServer extends AsyncDisposable {
  readonly address: string;
  readonly url: string;
  readonly identity: ServerIdentity;
  readonly server: Server;
}

export async function relayedServer(
  name: string,
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  secret?: Uint8Array,
): Promise<RelayedServer> {
  const { certificate, server: identity } = await certified(name, secret);
  const server = createServer(certificate, answer);
  const address = `127.${100 + randomInt(100)}.${randomInt(256)}.${2 + randomInt(250)}`;
  await once(server.listen(SIDECAR_PORT, address), 'listening');
  return {
    address,
    url: `https://${address}:${SIDECAR_PORT}`,
    identity,
    server,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}

/** Web asks the relay once whether it is there: no later question helps on what the relay has kept back. */
const clock = {
  sleep: (_ms: number, signal: AbortSignal) =>
    new Promise<void>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
};

/** The relay of a store with this handle, for tokens of this signer. */
export async function serveTestRelay(handle: string, { publicKey }: Pick<Signer, 'publicKey'>): Promise<Listener> {
  const verify = await createVerifier(handle, [publicKey]);
  return serveRelay({ verify, now: () => Date.now() / 1000 }, '127.0.0.1:0');
}

/** A relay by a plain connection, as a port-forward gives it. */
export function openTestRelay(at: string, { sign }: Pick<Signer, 'sign'>, signal: AbortSignal): Promise<Relay> {
  const [host = '', port] = at.split(':');
  return openRelay({ store: 'store', sign, clock }, connect(Number(port), host), signal);
}
