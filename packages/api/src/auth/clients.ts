import { isSameSecret } from './same-secret.ts';

/** Programs that may ask for tokens. fly's secret is public: it is in fly's source. */
const CLIENTS: Readonly<Record<string, string>> = { fly: 'Zmx5' };

export function isClient(id: string, secret: string): boolean {
  const expected = Object.hasOwn(CLIENTS, id) ? CLIENTS[id] : undefined;
  return expected !== undefined && isSameSecret(secret, expected);
}

export function isKnownClient(id: string): boolean {
  return Object.hasOwn(CLIENTS, id);
}
