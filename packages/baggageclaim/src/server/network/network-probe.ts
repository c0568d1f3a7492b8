import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { authorityCertificate } from '../../protocol/authority-certificate.ts';
import { type Health, ROUTES } from '../../protocol/messages.ts';
import type { Witness } from '../../protocol/places.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { NetworkProbe } from './closed-network.ts';

/** The longest that a store may take to answer. */
const ANSWER_MS = 5_000;
/** Longer than the second after which the kernel sends a lost first packet again. */
const CONNECT_MS = 1_500;
/** At once. All of them fail only if something stops them: a few lost packets do not. */
const CONNECTIONS = 3;

/** Tries the network that this process is in, which is that of the step, too. */
export async function networkProbe(runtime: Runtime, witness: Witness, authorityKey: string): Promise<NetworkProbe> {
  const server = { name: witness.name, authority: await authorityCertificate(authorityKey) };
  return {
    async health(url = witness.url) {
      const signal = AbortSignal.timeout(ANSWER_MS);
      const answer = await runtime.get(url + ROUTES.health, { server, headers: {}, signal, silenceMs: ANSWER_MS });
      return (await answer.json()) as Health;
    },
    async isReached(url) {
      const tries = Array.from({ length: CONNECTIONS }, () => isConnected(new URL(url)));
      return (await Promise.all(tries)).includes(true);
    },
    elapsedMs: () => performance.now(),
    sleep: (ms) => sleep(ms),
  };
}

function isConnected({ hostname, port }: URL): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect({ host: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port) });
  const timer = setTimeout(() => resolve(false), CONNECT_MS);
  socket.once('connect', () => resolve(true));
  socket.on('error', () => resolve(false));
  return promise.finally(() => {
    clearTimeout(timer);
    socket.destroy();
  });
}
