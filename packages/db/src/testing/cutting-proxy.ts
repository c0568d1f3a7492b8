import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { EmbeddedConnection } from '../embedded/embedded-postgres.ts';

export interface CuttingProxy extends AsyncDisposable {
  readonly connection: EmbeddedConnection;
  /** Everything that clients have sent. */
  readonly sent: () => string;
  /** Ends the next connections, that many, as soon as they send this. */
  cutAt(text: string, times: number): void;
  /** Loses everything that the server sends on present connections, without ending them. New connections work. */
  fallSilent(): void;
}

/** Stands between clients and a test server, on TCP, and ends or silences connections at a chosen moment. */
export async function cuttingProxy(server: EmbeddedConnection): Promise<CuttingProxy> {
  const sockets = new Set<Socket>();
  const silent = new Set<Socket>();
  let sent = '';
  let cut = { at: '', times: 0 };
  const proxy = createServer((client) => {
    const upstream = connect(`${server.host}/.s.PGSQL.${server.port}`);
    for (const [socket, other] of [[client, upstream] as const, [upstream, client] as const]) {
      sockets.add(socket);
      socket.on('error', () => {}).on('close', () => other.destroy());
    }
    upstream.on('data', (chunk) => {
      if (!silent.has(client)) client.write(chunk);
    });
    client.on('data', (chunk) => {
      sent += chunk.toString('latin1');
      if (cut.times === 0 || !chunk.includes(cut.at)) return void upstream.write(chunk);
      cut = { ...cut, times: cut.times - 1 };
      client.destroy();
    });
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const { port } = proxy.address() as { port: number };
  return {
    connection: { ...server, host: '127.0.0.1', port },
    sent: () => sent,
    cutAt: (at, times) => {
      cut = { at, times };
    },
    fallSilent: () => {
      for (const socket of sockets) silent.add(socket);
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      proxy.close();
      await once(proxy, 'close');
    },
  };
}
