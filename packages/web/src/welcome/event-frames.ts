/** The JSON of each event that an answer with a build's events holds, as they come, until the build's end or the answer's. */
export async function* readEvents<T>(answer: Response): AsyncGenerator<T> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of answer.body as ReadableStream<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true });
    const frames = text.split('\n\n');
    text = frames.pop() ?? '';
    for (const frame of frames) {
      const lines = frame.split('\n');
      if (lines.includes('event: end')) return;
      const data = lines.find((line) => line.startsWith('data: '));
      if (data) yield JSON.parse(data.slice('data: '.length)) as T;
    }
  }
}
