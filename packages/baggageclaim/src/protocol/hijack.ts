import type { WindowSize } from './messages.ts';

/** GET /hijack, a WebSocket. This is the first message; after it the messages below go both ways, as text. */
export interface HijackRequest {
  readonly path: string;
  readonly args: readonly string[];
  /** `NAME=VALUE`, added to the environment of the step's process. */
  readonly env: readonly string[];
  readonly dir: string;
  readonly user: string;
  readonly tty: WindowSize | null;
}

/** Concourse's own hijack messages, both ways (docs/concourse/fly-api.md, section 6). */
export interface HijackStream extends AsyncDisposable {
  /** Resolves when the process has room for more, or has ended. Wait for that, or input piles up in memory. Never rejects. */
  send(message: HijackInput): Promise<void>;
  readonly messages: AsyncIterable<HijackOutput>;
}

/** From the user to the process. Bytes are in base64. */
export type HijackInput =
  | { readonly stdin: string }
  | { readonly closed: true }
  | { readonly tty: { readonly window_size: WindowSize } };

/**
 * From the sidecar to web alone: so many characters of `stdin` have reached the process, so that as many more may be sent.
 * Bun cannot pause a WebSocket, so TCP does not hold back a sender whose input nobody reads.
 */
export interface HijackTaken {
  readonly taken: number;
}

/** From the process to the user. Bytes are in base64. */
export type HijackOutput =
  | { readonly stdout: string }
  | { readonly stderr: string }
  | { readonly error: string }
  | { readonly exit_status: number }
  | { readonly executable_not_found: true };
