import type { RegistryImageAnswer, RegistryImageMessage, RegistryImageRequest } from '../../protocol/messages.ts';
import { errorAnswer } from '../http/app.ts';

/** Makes an image of a registry ready for sandboxes. `onLine` gets lines for the build's log. */
export type ProvideRegistryImage = (
  request: RegistryImageRequest,
  onLine: (line: string) => void,
  signal: AbortSignal,
) => Promise<RegistryImageAnswer>;

/** What happens to a request for an image, one message a line. The work's signal aborts when the reader leaves. */
export function messagesOf(provide: ProvideRegistryImage, request: RegistryImageRequest): ReadableStream<Uint8Array> {
  const left = new AbortController();
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const send = (message: RegistryImageMessage) => {
        if (!left.signal.aborted) controller.enqueue(encoder.encode(`${JSON.stringify(message)}\n`));
      };
      provide(request, (line) => send({ line }), left.signal)
        .then(
          (image) => send({ image }),
          (error: Error) => send(errorAnswer(error).body),
        )
        .finally(() => left.signal.aborted || controller.close());
    },
    cancel() {
      left.abort(new Error('the reader has left'));
    },
  });
}
