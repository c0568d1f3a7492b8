/** Makes a stream of a generator, which runs as fast as the stream is read. Cancelling the stream ends the generator. */
export function streamOf(generate: (signal: AbortSignal) => AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  const left = new AbortController();
  const chunks = generate(left.signal);
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = await chunks.next();
      if (next.done) controller.close();
      else controller.enqueue(next.value);
    },
    async cancel() {
      left.abort(new Error('the reader has left'));
      await chunks.return(undefined).catch(() => {});
    },
  });
}
