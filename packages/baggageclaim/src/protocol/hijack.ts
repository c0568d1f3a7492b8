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
  send(message: HijackInput): void;
  readonly messages: AsyncIterable<HijackOutput>;
}

/** From the user to the process. Bytes are in base64. */
export type HijackInput =
  | { readonly stdin: string }
  | { readonly closed: true }
  | { readonly tty: { readonly window_size: WindowSize } };

/** From the process to the user. Bytes are in base64. */
export type HijackOutput =
  | { readonly stdout: string }
  | { readonly stderr: string }
  | { readonly error: string }
  | { readonly exit_status: number }
  | { readonly executable_not_found: true };
