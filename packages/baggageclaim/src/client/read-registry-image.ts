import type { IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { BaggageclaimError } from '../protocol/baggageclaim-error.ts';
import type { RegistryImageAnswer, RegistryImageMessage } from '../protocol/messages.ts';
import { unreachable } from './http-client.ts';

/** Reads the answer to a request for an image of a registry. Throws the server's error, and `unreachable` if the answer is cut. */
export async function readRegistryImage(
  answer: IncomingMessage,
  onLine: (line: string) => void,
): Promise<RegistryImageAnswer> {
  try {
    for await (const line of createInterface({ input: answer })) {
      const message = JSON.parse(line) as RegistryImageMessage;
      if ('image' in message) return message.image;
      if ('error' in message) throw new BaggageclaimError(message.error.code, message.error.message);
      onLine(message.line);
    }
  } catch (cause) {
    throw cause instanceof BaggageclaimError ? cause : unreachable('the answer', cause as Error);
  } finally {
    answer.destroy();
  }
  throw new BaggageclaimError('unreachable', 'the answer ends without an image');
}
