import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * A port that keeps everybody waiting until it is opened. Programs that dial it are held in the middle of their work, for as
 * long as a test wants.
 */
export class Gate implements AsyncDisposable {
  readonly address: string;
  /** How many connections there were in all. */
  arrived = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #open = false;

  private constructor(address: string, server: Server) {
    this.address = address;
    this.#server = server;
  }

  /** Behind the gate is another server; without one, the gate says `go` and hangs up. */
  static async start(host: string, behind?: { readonly host: string; readonly port: number }): Promise<Gate> {
    const server = createServer({ allowHalfOpen: true }).listen(0, host);
    await once(server, 'listening');
    const gate = new Gate(`${host}:${(server.address() as AddressInfo).port}`, server);
    server.on('connection', (socket) => {
      gate.arrived++;
      gate.#keep(socket);
      if (!gate.#open) return;
      if (!behind) return void socket.end('go\n');
      const further = connect(behind);
      gate.#keep(further);
      socket.pipe(further).pipe(socket);
      for (const [one, other] of [
        [socket, further],
        [further, socket],
      ] as const)
        one.on('close', () => other.destroy());
    });
    return gate;
  }

  /** Lets those through that come from now on. */
  open(): void {
    this.#open = true;
  }

  close(): void {
    this.#open = false;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => {}); // `close` follows
    socket.on('close', () => this.#sockets.delete(socket));
  }
}
