import { bunServe } from './bun-serve.ts';
import { bunSocketServer } from './bun-socket.ts';
import type { BunChild, BunGlobal } from './bun-types.ts';
import { failure, type Runtime } from './runtime.ts';

const KILL = 9;
/** Programs print English messages and have our PATH. */
const environment = () => ({ PATH: process.env['PATH'] ?? '', LC_ALL: 'C' });

export function createBunRuntime(): Runtime {
  const bun = (globalThis as unknown as { Bun: BunGlobal }).Bun;
  return {
    serve: (options) => bunServe(bun, options),
    listenUnix: async (path, accept) => bunSocketServer(bun, path, accept),
    readFrom(command) {
      const child = bun.spawn(command, { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe', env: environment() });
      return streamOf(command, child);
    },
    async writeInto(command, body) {
      const child = bun.spawn(command, { stdin: body, stdout: 'pipe', stderr: 'pipe', env: environment() });
      const [code, stdout, stderr] = await Promise.all([child.exited, textOf(child.stdout), textOf(child.stderr)]);
      return { code, stdout, stderr };
    },
    get(url, { server, headers, signal, silenceMs }) {
      const ofBun = { tls: { ca: server.authority, serverName: server.name }, timeout: silenceMs };
      return fetch(url, { headers, signal, ...ofBun } as RequestInit);
    },
  };
}

function streamOf(command: readonly string[], child: BunChild): ReadableStream<Uint8Array> {
  const reader = child.stdout.getReader();
  const stderr = textOf(child.stderr);
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = await reader.read();
      if (!done) return controller.enqueue(value);
      const code = await child.exited;
      if (code === 0) controller.close();
      else controller.error(failure(command, { code, stderr: await stderr }));
    },
    cancel: () => child.kill(KILL),
  });
}

function textOf(stream: ReadableStream<Uint8Array>): Promise<string> {
  return new Response(stream).text();
}
