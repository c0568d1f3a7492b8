import { parseDuration } from '@seaplane/config';
import { Mistake, whereSet } from './mistake.ts';

/** The operator's settings for connections of clients. */
export interface HttpSettings {
  /** How many clients may watch events at the same time. */
  readonly streamLimits: { readonly perClient: number; readonly inAll: number };
  /** How long a `fly intercept` may go without input. 0: for ever. */
  readonly interceptIdleMs: number;
  /** The value of the header of this name. Absent: no such header is sent. */
  readonly strictTransportSecurity?: string;
  /** The servers whose pictures pages may show, such as `https://pictures.example.com`. */
  readonly imageOrigins: readonly string[];
}

export const HTTP_FLAGS = ['intercept-idle-timeout', 'strict-transport-security', 'image-origins'] as const;
type Flag = (typeof HTTP_FLAGS)[number];

export const HTTP_HELP = `
  --intercept-idle-timeout D  ends a fly intercept that     SEAPLANE_INTERCEPT_IDLE_TIMEOUT, default 0: never
                     gets no input for so long
  --strict-transport-security V  the value of that header  SEAPLANE_STRICT_TRANSPORT_SECURITY, default: none
  --image-origins L  servers whose pictures may stand      SEAPLANE_IMAGE_ORIGINS, default: none
                     behind pipelines, with commas between`;

/** Reads the settings for connections. Pure. */
export function parseHttpSettings(read: (flag: Flag) => string | undefined, env: NodeJS.ProcessEnv): HttpSettings {
  const header = read('strict-transport-security');
  if (header !== undefined && !/^[\x20-\x7e]+$/.test(header)) {
    throw new Mistake(`the value is not one line of plain text ${whereSet('strict-transport-security')}`);
  }
  return {
    streamLimits: {
      perClient: parseCount(env, 'SEAPLANE_MAX_EVENT_STREAMS_PER_CLIENT', 1_000),
      inAll: parseCount(env, 'SEAPLANE_MAX_EVENT_STREAMS', 5_000),
    },
    interceptIdleMs: parseIdle(read('intercept-idle-timeout') ?? '0'),
    imageOrigins: (read('image-origins') ?? '').split(',').filter(Boolean).map(parseOrigin),
    ...(header === undefined ? {} : { strictTransportSecurity: header }),
  };
}

/** An origin becomes part of a header, so nothing but an origin may come through. */
function parseOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isOrigin = url && /^https?:\/\/[\w.:[\]-]+$/.test(url.origin) && url.href === `${url.origin}/`;
  if (isOrigin) return url.origin;
  throw new Mistake(`"${text}" is not a server, such as https://pictures.example.com ${whereSet('image-origins')}`);
}

function parseIdle(text: string): number {
  try {
    const ms = parseDuration(text);
    if (ms >= 0) return ms;
  } catch {
    // The message below says what is wanted.
  }
  throw new Mistake(`"${text}" is not a duration, such as 30m ${whereSet('intercept-idle-timeout')}`);
}

function parseCount(env: NodeJS.ProcessEnv, name: string, byDefault: number): number {
  const text = env[name] || String(byDefault);
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Mistake(`"${text}" is not a number above 0 (${name})`);
  return Number(text);
}
