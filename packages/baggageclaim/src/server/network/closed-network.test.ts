import { expect, test } from 'vitest';
import type { Health } from '../../protocol/messages.ts';
import { ClosedNetwork, type NetworkProbe } from './closed-network.ts';

const HEALTH: Health = { protocol: 1, version: '', handle: 'store', supervisor: false };
const witness = (pod: string) => ({ ...HEALTH, witness: { url: `https://${pod}:1`, open: `http://${pod}:2` } });

/** A network as these functions have it, and everything that was tried, in order. */
function probe(change: Partial<NetworkProbe>): NetworkProbe & { tried: string[] } {
  const tried: string[] = [];
  let elapsed = 0;
  const { health = async () => witness('a'), isReached = async () => false } = change;
  return {
    tried,
    health(url) {
      tried.push(`health ${url ?? 'anywhere'}`);
      return health(url);
    },
    isReached(url) {
      tried.push(`connect ${url}`);
      return isReached(url);
    },
    elapsedMs: () => elapsed,
    async sleep(ms) {
      elapsed += ms;
    },
  };
}

const ROUND = ['health anywhere', 'connect http://a:2', 'health https://a:1'];

test('[BC34] a connection that fails proves a closed network, if the same pod of the store then answers', async () => {
  const closed = probe({});
  const network = new ClosedNetwork(closed);
  await network.proven();
  await network.proven();
  expect(closed.tried).toEqual(ROUND);
});

test('[BC34] it is tried until it fails', async () => {
  let open = 3;
  const late = probe({ isReached: async () => open-- > 0 });
  await new ClosedNetwork(late).proven();
  const again = ['health anywhere', 'connect http://a:2'];
  expect(late.tried).toEqual([...again, ...again, ...again, ...ROUND]);
});

test('[BC34] a network that stays open is an error, in words, and is tried again when it is asked for again', async () => {
  let isOpen = true;
  const network = new ClosedNetwork(probe({ isReached: async () => isOpen }));
  await expect(network.proven()).rejects.toThrow(
    "this step is hermetic, and was not started: after 30 seconds its pod can still connect to http://a:2, so the cluster's network plugin does not enforce network policies",
  );
  isOpen = false;
  await network.proven();
});

test.each<[string, Partial<NetworkProbe>, string]>([
  ['is down', { health: async () => Promise.reject(new Error('ECONNREFUSED')) }, 'does not answer (ECONNREFUSED)'],
  [
    'dies before it answers again',
    { health: async (url) => (url ? Promise.reject(new Error('ECONNRESET')) : witness('a')) },
    'does not answer (ECONNRESET)',
  ],
  ['moves meanwhile', { health: async (url) => witness(url ? 'b' : 'a') }, 'has moved'],
  ['knows no such address', { health: async () => HEALTH }, 'is of an older version'],
])('[BC34] a store that %s proves nothing', async (_, change, words) => {
  await expect(new ClosedNetwork(probe(change)).proven()).rejects.toThrow(
    `was not started: nothing proves that its network is closed, because the store ${words}`,
  );
});
