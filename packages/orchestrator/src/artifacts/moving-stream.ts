import { BaggageclaimError } from '@seaplane/baggageclaim';
import type { Clock } from '@seaplane/engine';

/** A lost machine closes no connection. */
const SILENCE_MS = 120_000;
/** A receiver that has all bytes may still be busy with them. */
const END_ROUNDS = 5;

/**
 * Hands the stream of `open` to `take`, chunk by chunk as `take` wants them. If no chunk moves for two minutes, both are
 * ended by their signal, with the error `unreachable`.
 */
export async function passOn(
  clock: Clock,
  signal: AbortSignal,
  open: (signal: AbortSignal) => Promise<ReadableStream<Uint8Array>>,
  take: (stream: ReadableStream<Uint8Array>, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const [stop, over] = [new AbortController(), new AbortController()];
  const either = AbortSignal.any([signal, stop.signal]);
  let [moved, ended] = [0, false];
  async function* counted(source: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of source) {
      moved++;
      yield chunk;
    }
    ended = true;
  }
  const watch = async () => {
    for (let [seen, silent] = [0, 0]; silent < (ended ? END_ROUNDS : 1); seen = moved) {
      await clock.sleep(SILENCE_MS, over.signal);
      silent = moved === seen ? silent + 1 : 0;
    }
    stop.abort(new BaggageclaimError('unreachable', `no byte has moved for ${SILENCE_MS / 1000} seconds`));
  };
  watch().catch(() => {}); // over
  try {
    await take(ReadableStream.from(counted(await open(either))), either);
  } catch (error) {
    stop.abort(error); // the source does not send the rest
    throw error;
  } finally {
    over.abort();
  }
}
