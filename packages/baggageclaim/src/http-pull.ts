import type { ErrorAnswer } from './protocol.ts';
import type { Pull } from './pull.ts';
import type { Runtime } from './runtime/runtime.ts';

/** To the head of the answer. A pod that has gone answers nothing; the store is next, and should not wait long. */
const ANSWER_MS = 5_000;
/** Between two pieces of it. A node that is lost closes no connection: without this a step would wait for ever. */
const SILENCE_MS = 60_000;

/** GETs trees from other sidecars and stores. Their certificates prove nothing; a token is good for one place alone. */
export function httpPull(runtime: Runtime, silenceMs = SILENCE_MS): Pull {
  return async ({ url, token }, signal) => {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new Error('no answer in time')), ANSWER_MS);
    try {
      const headers = { Authorization: `Bearer ${token}` };
      const answer = await runtime.get(url, headers, AbortSignal.any([signal, late.signal]));
      if (answer.status !== 200 || !answer.body) throw new Error(await words(answer));
      return neverSilent(answer.body, silenceMs);
    } finally {
      clearTimeout(timer);
    }
  };
}

/** Fails when its source says nothing for that long while it is waited for. */
function neverSilent(source: ReadableStream<Uint8Array>, ms: number): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const patience = setTimeout(() => {
        controller.error(new Error('it fell silent'));
        void reader.cancel().catch(() => {});
      }, ms);
      const next = await reader.read().finally(() => clearTimeout(patience));
      if (next.done) controller.close();
      else controller.enqueue(next.value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

async function words(answer: Response): Promise<string> {
  try {
    return ((await answer.json()) as ErrorAnswer).error.message;
  } catch {
    return `HTTP status ${answer.status}`;
  }
}
