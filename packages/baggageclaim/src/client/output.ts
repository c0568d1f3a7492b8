import type { IncomingMessage } from 'node:http';
import { BaggageclaimError } from '../protocol/baggageclaim-error.ts';
import { FrameDecoder } from '../protocol/frames.ts';
import { type ExitRecord, OUTPUT_FRAME, ROUTES } from '../protocol/messages.ts';
import type { OutputItem, OutputPosition } from './client-interface.ts';
import { type HttpClientOptions, isUnreachable, send, sleep, unreachable } from './http-client.ts';

/** The server sends a frame every ten seconds at least. After this silence the connection counts as dead. */
const SILENCE_MS = 30_000;
const PAUSE_MS = 50;

/** Follows a process's output to its record. Reconnects after a break, and continues at the same byte. */
export async function* followOutput(
  options: HttpClientOptions,
  process: { readonly id: string; readonly attempt: string },
  from: OutputPosition,
  signal: AbortSignal,
  onAnswer: () => void = () => {},
): AsyncGenerator<OutputItem> {
  const at = { ...from };
  // Only these two: the caller may pass a whole request, which holds secrets.
  const { id, attempt } = process;
  for (;;) {
    const query = new URLSearchParams({ id, attempt, stdout: String(at.stdout), stderr: String(at.stderr) });
    const answer = await send(options, { method: 'GET', path: `${ROUTES.output}?${query}`, scope: ['run'] }, signal);
    onAnswer();
    try {
      for await (const item of itemsOf(answer)) {
        if (item.kind === 'exit' && item.record.attempt !== process.attempt) throw otherAttempt(process, item.record);
        if (item.kind !== 'exit') at[item.kind] += item.bytes.length;
        yield item;
        if (item.kind === 'exit') return;
      }
    } catch (error) {
      signal.throwIfAborted();
      if (!isUnreachable(error)) throw error;
    } finally {
      answer.destroy();
    }
    await sleep(PAUSE_MS, signal); // the connection was cut, or the server is stopping: do not ask too often
  }
}

async function* itemsOf(answer: IncomingMessage): AsyncGenerator<OutputItem> {
  const decoder = new FrameDecoder();
  const silence = setTimeout(() => answer.destroy(new Error('the sidecar has fallen silent')), SILENCE_MS);
  const chunks = answer[Symbol.asyncIterator]();
  try {
    for (;;) {
      const chunk = await chunks.next().catch((cause: Error) => Promise.reject(unreachable('the output', cause)));
      if (chunk.done) return;
      silence.refresh();
      for (const { type, payload } of decoder.push(chunk.value as Buffer)) {
        if (type === OUTPUT_FRAME.stdout) yield { kind: 'stdout', bytes: payload };
        if (type === OUTPUT_FRAME.stderr) yield { kind: 'stderr', bytes: payload };
        if (type === OUTPUT_FRAME.exit)
          yield { kind: 'exit', record: JSON.parse(payload.toString('utf8')) as ExitRecord };
        silence.refresh(); // the reader of this generator may be slow
      }
    }
  } finally {
    clearTimeout(silence);
  }
}

function otherAttempt(process: { id: string; attempt: string }, record: ExitRecord): BaggageclaimError {
  return new BaggageclaimError(
    'conflict',
    `the exit record of ${process.id} is of attempt ${record.attempt}, not of ${process.attempt}`,
  );
}
