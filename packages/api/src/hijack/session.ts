import { on } from 'node:events';
import type { HijackOutput, HijackRequest, HijackStream } from '@seaplane/baggageclaim';
import { canonicalDuration } from '@seaplane/config';
import type { RawData, WebSocket } from 'ws';
import type { Sandboxes } from '../context.ts';
import { idleLimit } from './idle-limit.ts';
import { readInput, readProcessSpec } from './messages.ts';

export interface HijackDependencies {
  readonly sandboxes: Sandboxes;
  /**
   * Records that somebody is in the sandbox, so that it is kept and what it fetched does not become another build's. Called
   * before anything is started, and then every `touchEveryMs`.
   */
  readonly touch: (handle: string) => Promise<void>;
  readonly touchEveryMs: number;
  /** A session that gets no input for so long is ended. 0: none is. */
  readonly idleMs: number;
  readonly onError: (error: unknown) => void;
}

const MALFORMED = 1003;
const NORMAL = 1000;
/** When more messages than this wait for the process, the client has to wait. */
const WAITING_INPUTS = { highWaterMark: 8, lowWaterMark: 1 };

/**
 * Carries the messages of one hijacked process between a client and its sandbox (docs/concourse/fly-api.md, section 6),
 * until the process has ended or the client has left. Never rejects; the socket is closed when it returns.
 */
export async function runHijack(
  { sandboxes, touch, touchEveryMs, idleMs, onError }: HijackDependencies,
  socket: WebSocket,
  handle: string,
): Promise<void> {
  const left = new AbortController();
  socket.on('error', () => left.abort()); // 'close' follows
  socket.on('close', () => left.abort());
  const frames = on(socket, 'message', { close: ['close'], ...WAITING_INPUTS }) as AsyncIterableIterator<
    [RawData, boolean]
  >;
  const touchAgain = () => {
    void touch(handle).catch(onError);
    socket.ping(); // while input waits nothing is read, so only a write notices that the client has left
  };
  let touching: NodeJS.Timeout | undefined;
  try {
    const first = await frames.next();
    if (first.done) return;
    const request = readProcessSpec(String(first.value[0]));
    if (!request) return socket.close(MALFORMED, 'malformed process spec');
    await touch(handle);
    touching = setInterval(touchAgain, touchEveryMs);
    await using stream = await sandboxes.hijack(handle, request, left.signal);
    using idle = idleLimit(idleMs);
    void sendInputs(frames, stream, socket, idle.touch).catch(() => left.abort());
    const end = await Promise.race([sendOutputs(stream, socket, request), idle.reached]);
    if (end === 'idle') await send(socket, { error: `idle timeout (${canonicalDuration(`${idleMs}ms`)}) reached` });
  } catch (error) {
    if (left.signal.aborted) return;
    onError(error);
    await send(socket, { error: messageOf(error) }).catch(() => {});
  } finally {
    clearInterval(touching);
    await frames.return?.();
    socket.close(NORMAL);
  }
}

async function sendInputs(
  frames: AsyncIterable<[RawData, boolean]>,
  stream: HijackStream,
  socket: WebSocket,
  onInput: () => void,
): Promise<void> {
  for await (const [data] of frames) {
    onInput();
    const input = readInput(String(data));
    if (input === undefined) return socket.close(MALFORMED, 'malformed input');
    if (input !== 'nothing') await stream.send(input);
  }
}

/** Sends each message before it takes the next, so that a slow client slows the process down and fills no memory. */
async function sendOutputs(stream: HijackStream, socket: WebSocket, request: HijackRequest): Promise<void> {
  for await (const output of stream.messages) {
    await send(socket, output);
    if ('executable_not_found' in output) return send(socket, { error: notFoundText(request.path) });
    if ('exit_status' in output || 'error' in output) return;
  }
  await send(socket, { error: 'the connection to the container ended before its process did' });
}

/**
 * fly hides an error that holds "executable file not found". That is right for `bash`, which fly tries by itself before
 * `sh`, but not for a program that the user named.
 */
function notFoundText(path: string): string {
  return path === 'bash' ? 'executable file not found: bash' : `there is no program '${path}' in this container`;
}

function send(socket: WebSocket, output: HijackOutput): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.send(JSON.stringify(output), (error) => (error ? reject(error) : resolve()));
  });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
