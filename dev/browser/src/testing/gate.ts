import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/** A place at which a program of a step waits until the test lets it go on. */
export class Gate implements AsyncDisposable {
  /** A command of bash that waits at the gate. */
  readonly wait: string;
  readonly #server: Server;
  readonly #waiting = new Set<Socket>();
  #isOpen = false;

  private constructor(server: Server) {
    this.#server = server;
    this.wait = `read -r _ < /dev/tcp/127.0.0.1/${(server.address() as AddressInfo).port}`;
    server.on('connection', (socket) => {
      this.#waiting.add(socket);
      socket.on('error', () => {}).on('close', () => this.#waiting.delete(socket));
      if (this.#isOpen) socket.end('\n');
    });
  }

  static async make(): Promise<Gate> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Gate(server);
  }

  open(): void {
    this.#isOpen = true;
    for (const socket of this.#waiting) socket.end('\n');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#waiting) socket.destroy();
    await new Promise((closed) => this.#server.close(closed));
  }
}
