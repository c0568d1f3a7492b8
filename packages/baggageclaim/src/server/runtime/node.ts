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
      const said = collect(child.stdout);
      // A program that has read enough closes its input; its exit says whether that was all.
      pipeline(Readable.fromWeb(body as never), child.stdin).catch(() => {});
      return { ...(await child.ended), said: await said };
    },
    async get(url, { headers, signal, silenceMs }) {
      const outgoing = request(url, { headers, rejectUnauthorized: false, signal, agent: false }).end();
      outgoing.setTimeout(silenceMs, () => outgoing.destroy(new Error('it fell silent')));
      const [answer] = (await once(outgoing, 'response', { signal })) as [IncomingMessage];
      return new Response(Readable.toWeb(answer) as ReadableStream<Uint8Array>, { status: answer.statusCode ?? 500 });
    },
  };
}

function start(command: readonly string[]) {
  const [program = '', ...args] = command;
  const env = { PATH: process.env['PATH'] ?? '', LC_ALL: 'C' }; // programs speak English
  const child = spawn(program, args, { env, stdio: ['pipe', 'pipe', 'pipe'] });
  const complaint = collect(child.stderr);
  const ended = new Promise<Omit<Ended, 'said'>>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', async (code) => resolve({ code, complaint: await complaint }));
  });
  ended.catch(() => {}); // seen by whoever awaits it
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
    write: (bytes) => void socket.write(bytes),
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    close: () => void socket.destroy(),
  };
}
