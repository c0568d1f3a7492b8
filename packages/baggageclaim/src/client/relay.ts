import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { BaggageclaimError } from '../protocol/baggageclaim-error.ts';
import type { Sleeper } from '../protocol/multiplex.ts';
import type { Connect } from './http-client.ts';
import { multiplexed, openStream } from './multiplexed.ts';
import type { Signer } from './signer.ts';

/** An open connection to the relay of a store. Disposing closes it, and every way through it. */
export interface Relay extends Disposable {
  /** Opens the way to the sidecar or store that has this address. Throws when the connection has been closed. */
  readonly connect: Connect;
  readonly closed: Promise<void>;
}

export interface RelayOptions {
  /** The name of the store. Tokens are made for it. */
  readonly store: string;
  readonly sign: Signer['sign'];
  readonly clock: Sleeper;
}

const TOKEN_SECONDS = 60;

/**
 * Makes a relay of a connection to the relay port of a store, and owns the connection. Returns when the store has answered.
 * The store proves nothing here: it sees bytes of TLS between web and the server that web expects.
 */
export async function openRelay(
  { store, sign, clock }: RelayOptions,
  connection: Duplex,
  signal: AbortSignal,
): Promise<Relay> {
  let cause: Error | undefined;
  connection.on('error', (error) => {
    cause = error;
  });
  const session = multiplexed(connection, clock);
  const closed = new Promise<void>((resolve) => session.once('close', resolve));
  const answered = once(session, 'remoteSettings', { signal });
  answered.catch(() => {});
  const cut = closed.then(() => Promise.reject(new BaggageclaimError('unreachable', words(store, cause), { cause })));
  cut.catch(() => {});
  try {
    await Promise.race([answered, cut]);
  } catch (error) {
    session.destroy();
    signal.throwIfAborted();
    if (error instanceof BaggageclaimError) throw error;
    throw new BaggageclaimError('unreachable', words(store, cause ?? (error as Error)), { cause: error });
  }
  return {
    closed,
    connect(host) {
      if (session.closed || session.destroyed) throw new Error(words(store, cause));
      const exp = Math.floor(Date.now() / 1000) + TOKEN_SECONDS;
      const authorization = `Bearer ${sign({ aud: store, exp, scope: [`relay:${host}`] })}`;
      return openStream(session, { ':authority': 'sidecar', authorization }, (status) =>
        status === 503 ? `the store ${store} can't connect to ${host}` : `the store ${store} answered ${status}`,
      );
    },
    [Symbol.dispose]: () => session.destroy(),
  };
}

function words(store: string, cause: Error | undefined): string {
  return `the connection to the relay of the store ${store} was closed${cause ? `: ${cause.message}` : ''}`;
}
