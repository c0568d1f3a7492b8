/**
 * The same bytes. `count` is called with their number so far. When `count` throws, the stream fails with that and its
 * source is cancelled.
 */
export function counted(
  source: ReadableStream<Uint8Array>,
  count: (bytes: number) => void,
): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  let bytes = 0;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = await reader.read();
      if (done) return controller.close();
      bytes += value.length;
      try {
        count(bytes);
      } catch (error) {
        reader.cancel(error).catch(() => {});
        throw error;
      }
      controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
