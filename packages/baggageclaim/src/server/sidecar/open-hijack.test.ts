import { expect, test } from 'vitest';
import { BaggageclaimError } from '../../protocol/baggageclaim-error.ts';
import type { GrantScope } from '../../protocol/grant.ts';
import type { SupervisorLink } from '../supervisor/supervisor-link.ts';
import { HijackSession } from './hijack-session.ts';
import { openHijack } from './open-hijack.ts';
import type { Network } from './process-control.ts';

const request = new Request('https://sandbox/hijack', { headers: { Authorization: 'Bearer token' } });

function open(network: Network, scope: GrantScope = 'hijack') {
  const verify = async () => ({ aud: 'x', exp: 0, scope: [scope] });
  const context = { handle: 'x', version: '', verify, now: () => 0 };
  return openHijack(context, { link: {} as SupervisorLink, network }, request);
}

test('[BC34] a shell is opened in a network that is proven closed, and in no other', async () => {
  expect(await open({ proven: async () => {} })).toBeInstanceOf(HijackSession);
  const refused = await open({ proven: () => Promise.reject(new BaggageclaimError('unavailable', 'it is open')) });
  expect(refused).toMatchObject({ status: 503 });
  expect(await (refused as Response).json()).toEqual({ error: { code: 'unavailable', message: 'it is open' } });
});

test('[BC3] a token without the scope opens no shell, and asks nothing of the network', async () => {
  const network = { proven: () => Promise.reject(new Error('asked')) };
  expect(await open(network, 'run')).toMatchObject({ status: 403 });
});
