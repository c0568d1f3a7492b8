/** The size of a terminal, in characters. */
export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

/** The place in a sandbox where a shell starts, as the API names it. */
export interface ShellPlace {
  readonly user?: string;
  readonly working_directory?: string;
}

/** A message about a shell: its output, or its end. */
export type ShellMessage =
  | { readonly kind: 'output'; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'exited'; readonly status: number }
  | { readonly kind: 'no-program' }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'nothing' };

/** A pasted text is sent in messages of this many bytes, so that the server can hold back the next one. */
const MOST_INPUT = 32 * 1024;
const TERM = 'xterm-256color';

/** The first message: the program to start (docs/concourse/fly-api.md, section 6). */
export function processSpec(path: string, { user, working_directory }: ShellPlace, size: ScreenSize): string {
  return JSON.stringify({
    path,
    args: [],
    env: [`TERM=${TERM}`],
    dir: working_directory ?? '',
    user: user ?? '',
    privileged: true,
    tty: { window_size: size },
  });
}

export function resizeMessage(size: ScreenSize): string {
  return JSON.stringify({ tty: { window_size: size } });
}

/** The messages that carry what somebody typed or pasted. */
export function inputMessages(bytes: Uint8Array): readonly string[] {
  const messages: string[] = [];
  for (let at = 0; at < bytes.length; at += MOST_INPUT) {
    messages.push(JSON.stringify({ stdin: btoa(binary(bytes.subarray(at, at + MOST_INPUT))) }));
  }
  return messages;
}

/** Messages of unknown kinds count as nothing. */
export function readShellMessage(text: string): ShellMessage {
  const message = JSON.parse(text) as Readonly<Record<string, unknown>>;
  const output = message['stdout'] ?? message['stderr'];
  if (typeof output === 'string') return { kind: 'output', bytes: bytesOf(atob(output)) };
  if (typeof message['exit_status'] === 'number') return { kind: 'exited', status: message['exit_status'] };
  if (message['executable_not_found'] === true) return { kind: 'no-program' };
  if (typeof message['error'] === 'string') return { kind: 'failed', reason: message['error'] };
  return { kind: 'nothing' };
}

/** The bytes of a string that has one character for each. */
export function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

function binary(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
}
