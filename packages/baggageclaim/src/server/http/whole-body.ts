/**
 * Gives a request's body to `use`, and reads what `use` has left of it until the client stops sending. A server that
 * answers while bytes are unread resets the connection, and then the client may never see the answer.
 */
export async function withWholeBody<T>(
  body: ReadableStream<Uint8Array>,
  use: (body: ReadableStream<Uint8Array>) => Promise<T>,
): Promise<T> {
  const reader = body.getReader();
  const wanted = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
  try {
    return await use(wanted);
  } finally {
    void discardRest(reader);
  }
}

async function discardRest(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  try {
    while (!(await reader.read()).done);
  } catch {
    // The client has left.
  }
}
