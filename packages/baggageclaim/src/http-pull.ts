import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { Readable } from 'node:stream';
import type { ErrorAnswer } from './protocol.ts';
import type { Pull } from './pull.ts';

/** A pod that has gone answers nothing; the store is next, and should not wait long for its turn. */
const CONNECT_MS = 5_000;
const STALL_MS = 60_000;

/** GETs a tree from another sidecar or a store. Its certificate proves nothing; the token is for it alone. */
export const httpPull: Pull = async (source, signal) => {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const outgoing = request(
    source.url,
    { headers: { Authorization: `Bearer ${source.token}` }, rejectUnauthorized: false, signal, agent: false },
    resolve,
  );
  outgoing.on('error', reject);
  outgoing.setTimeout(CONNECT_MS, () => outgoing.destroy(new Error('no answer in time')));
  outgoing.end();
  const answer = await promise;
  outgoing.setTimeout(STALL_MS, () => answer.destroy(new Error('no more bytes came in time')));
  if (answer.statusCode !== 200) throw new Error(await words(answer));
  const encoding = answer.headers['content-encoding'] === 'zstd' ? 'zstd' : 'identity';
  return { body: Readable.toWeb(answer) as ReadableStream<Uint8Array>, encoding };
};

async function words(answer: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of answer.setEncoding('utf8')) text += chunk as string;
  try {
    return (JSON.parse(text) as ErrorAnswer).error.message;
  } catch {
    return `HTTP status ${answer.statusCode}`;
  }
}
