import { isSameSecret } from './same-secret.ts';

/** Programs that may ask for tokens. fly's secret is public: it is in fly's source. */
const CLIENTS: Readonly<Record<string, string>> = { fly: 'Zmx5' };

export const FLY_CLIENT = 'fly';
/** The client of the tokens in browsers' cookies. Only the sign-in page makes them, so it has no secret. */
export const BROWSER_CLIENT = 'concourse-web';

export function isClient(id: string, secret: string): boolean {
  const expected = Object.hasOwn(CLIENTS, id) ? CLIENTS[id] : undefined;
  return expected !== undefined && isSameSecret(secret, expected);
}

export function isKnownClient(id: string): boolean {
  return id === BROWSER_CLIENT || Object.hasOwn(CLIENTS, id);
}
