import { type ErrorCode, type Health, SIDECAR_PORT } from './protocol.ts';

/** What of the protocol is served so far, beside `ROUTES.health`. */

/** Only this machine: requests are not signed yet. */
export const DEFAULT_LISTEN = `127.0.0.1:${SIDECAR_PORT}`;

/** PUT: a tar stream becomes the volume. GET, with an optional `path` below the volume: a tar stream of it. */
export const VOLUME_ROUTE = '/volumes/:name';

export const TAR = 'application/x-tar';

/** `Content-Encoding` of tar streams, both ways; `identity` if none is named. */
export type Encoding = 'identity' | 'zstd';

/** There is no sandbox and no supervisor to speak of yet. */
export interface VolumeServerHealth extends Pick<Health, 'protocol' | 'version'> {
  readonly uptimeSeconds: number;
}

/** Why a request for a volume is refused: its HTTP status, and the protocol's code for it. */
export const VOLUME_ERRORS = {
  'bad-name': [400, 'bad-request'],
  'bad-path': [400, 'bad-request'],
  'bad-archive': [400, 'bad-request'],
  'bad-encoding': [415, 'bad-request'],
  'not-found': [404, 'not-found'],
  'already-exists': [409, 'conflict'],
} as const satisfies Record<string, readonly [number, ErrorCode]>;
