import { once } from 'node:events';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { HostError } from '@seaplane/orchestrator';
import { createWebSocketStream, WebSocket } from 'ws';
import { dialPath } from './protocol.ts';
import { KEY_TLS } from './worker-key.ts';

const HANDSHAKE_MS = 10_000;

export interface Dialled {
  /** `http://` or `https://`, as users reach web. */
  readonly web: URL;
  readonly worker: string;
  readonly key: Buffer;
}

/** Opens a connection to web, and returns it when web has proven that it has the worker's key. */
export async function dialWeb({ web, worker, key }: Dialled, signal: AbortSignal): Promise<TLSSocket> {
  const url = new URL(`${web.pathname.replace(/\/$/, '')}${dialPath(worker)}`, web);
  const opened = new WebSocket(url.href.replace(/^http/, 'ws'), {
    handshakeTimeout: HANDSHAKE_MS,
    perMessageDeflate: false,
  });
  const refused = Promise.withResolvers<never>();
  refused.promise.catch(() => {});
  opened.on('error', (cause) => refused.reject(new HostError('unreachable', words(url, cause), { cause })));
  const within = AbortSignal.any([signal, AbortSignal.timeout(HANDSHAKE_MS)]);
  try {
    await Promise.race([once(opened, 'open', { signal: within }), refused.promise]);
    const socket = connectTls({
      ...KEY_TLS,
      socket: createWebSocketStream(opened),
      pskCallback: () => ({ psk: key, identity: worker }),
      checkServerIdentity: () => undefined, // the key is the proof; there are no certificates
    });
    const failed = new Promise<never>((_, reject) => {
      socket.on('error', (cause) => reject(untrusted(url, cause)));
      socket.on('close', () => reject(untrusted(url, new Error('the connection was closed'))));
    });
    failed.catch(() => {});
    await Promise.race([once(socket, 'secureConnect', { signal: within }), failed]);
    return socket;
  } catch (error) {
    opened.terminate();
    signal.throwIfAborted();
    throw error;
  }
}

function words(url: URL, { message }: Error): string {
  const hint = message.includes('404') ? ': web has no worker of this name and kind' : '';
  return `${url.href} cannot be dialled: ${message}${hint}`;
}

function untrusted(url: URL, cause: Error): HostError {
  const message = `${url.host} does not have the same key (${cause.message}), so nothing was sent to it`;
  return new HostError('untrusted', message, { cause });
}
