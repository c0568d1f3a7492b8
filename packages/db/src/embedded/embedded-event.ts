import type { ServerLogLine } from './server/server-log.ts';

/** Events of the embedded server. None needs an answer. */
export type EmbeddedEvent =
  /** There was no database in the directory: one is being made, which takes about a second. */
  | { readonly type: 'initializing'; readonly directory: string }
  /** A server whose owner was killed still ran, and has been stopped. */
  | { readonly type: 'leftover-stopped'; readonly pid: number }
  | { readonly type: 'ready'; readonly pid: number; readonly version: string }
  /** The server ended by itself. It is started again after `retryMs`. */
  | { readonly type: 'died'; readonly how: string; readonly retryMs: number }
  | { readonly type: 'restart-failed'; readonly error: unknown; readonly retryMs: number }
  | ({ readonly type: 'log' } & ServerLogLine);

export type OnEmbeddedEvent = (event: EmbeddedEvent) => void;
