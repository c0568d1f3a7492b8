import type { ErrorAnswer } from '../../protocol/messages.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { Pull } from './pull.ts';

/** The longest wait for an answer's head. A pod that has gone never answers; the next source should get its turn soon. */
const ANSWER_MS = 5_000;
/** A lost node closes no connection. Without this limit, a step would wait for its input for ever. */
const SILENCE_MS = 120_000;

/** Pulls trees from other sidecars and stores. A token is sent only to the server that it is for. */
export function httpPull(runtime: Runtime, silenceMs = SILENCE_MS): Pull {
  return async ({ url, token, server }, signal) => {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new Error('no answer in time')), ANSWER_MS);
    try {
      const headers = { Authorization: `Bearer ${token}` };
      const answer = await runtime.get(url, {
        server,
        headers,
        signal: AbortSignal.any([signal, late.signal]),
        silenceMs,
      });
      if (answer.status !== 200 || !answer.body) throw new Error(await words(answer));
      return answer.body;
    } finally {
      clearTimeout(timer);
    }
  };
}

async function words(answer: Response): Promise<string> {
  try {
    return ((await answer.json()) as ErrorAnswer).error.message;
  } catch {
    return `HTTP status ${answer.status}`;
  }
}
