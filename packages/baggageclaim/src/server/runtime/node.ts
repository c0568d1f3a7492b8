import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { createServer, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { nodeServe } from './node-serve.ts';
import { type ByteSocket, type Ended, failure, type Runtime } from './runtime.ts';

export function createNodeRuntime(): Runtime {
  return {
    serve: nodeServe,
    async listenUnix(path, accept) {
      const server = createServer((socket) => accept(byteSocket(socket)));
      await once(server.listen(path), 'listening');
      return { close: () => void server.close() };
    },
    readFrom(command) {
      const child = start(command);
      child.stdin.end();
      const chunks = child.stdout[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
      return new ReadableStream<Uint8Array>({
        async pull(controller) {
          const next = await chunks.next();
          if (!next.done) return controller.enqueue(next.value);
          const ended = await child.ended;
          if (ended.code === 0) controller.close();
          else controller.error(failure(command, ended));
        },
        cancel: () => void child.kill(),
      });
    },
    async writeInto(command, body) {
      const child = start(command);
      const stdout = collect(child.stdout);
      // A program may close its input early. Its exit status tells whether that is a failure.
      pipeline(Readable.fromWeb(body as never), child.stdin).catch(() => {});
      return { ...(await child.ended), stdout: await stdout };
    },
    async get(url, { server, headers, signal, silenceMs }) {
      const tls = { servername: server.name, ca: server.authority };
      const outgoing = request(url, { headers, ...tls, signal, agent: false }).end();
      outgoing.setTimeout(silenceMs, () => outgoing.destroy(new Error('the answer has stopped arriving')));
      const [answer] = (await once(outgoing, 'response', { signal })) as [IncomingMessage];
      return new Response(Readable.toWeb(answer) as ReadableStream<Uint8Array>, { status: answer.statusCode ?? 500 });
    },
  };
}

function start(command: readonly string[]) {
  const [program = '', ...args] = command;
  const env = { PATH: process.env['PATH'] ?? '', LC_ALL: 'C' }; // for English messages
  const child = spawn(program, args, { env, stdio: ['pipe', 'pipe', 'pipe'] });
  const stderr = collect(child.stderr);
  const ended = new Promise<Omit<Ended, 'stdout'>>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', async (code) => resolve({ code, stderr: await stderr }));
  });
  ended.catch(() => {}); // handled where it is awaited
  return { stdin: child.stdin, stdout: child.stdout, ended, kill: () => child.kill('SIGKILL') };
}

async function collect(stream: Readable): Promise<string> {
  let text = '';
  for await (const chunk of stream.setEncoding('utf8')) text += chunk as string;
  return text;
}

function byteSocket(socket: Socket): ByteSocket {
  socket.on('error', () => socket.destroy());
  return {
    onData: (take) => void socket.on('data', take),
    onClose: (closed) => (socket.destroyed ? closed() : void socket.once('close', closed)),
    write: (bytes) => new Promise((resolve) => socket.write(bytes, () => resolve())),
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    close: () => void socket.destroy(),
  };
}
