import { once } from 'node:events';
import { createServer, type Server } from 'node:http';

/** The report of one process of a step. */
export interface SeenProcess {
  readonly build: string;
  readonly step: string;
  readonly process: string;
  readonly ended: boolean;
}

/** Records which processes have started and ended, outside of everything that faults hit. */
export class Witness implements AsyncDisposable {
  readonly port: number;
  readonly #server: Server;
  readonly #seen = new Map<string, SeenProcess>();

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.port = port;
    server.on('request', ({ url }, response) => response.end(this.#note(new URL(url ?? '/', 'http://witness'))));
  }

  /** Listens on every address: pods reach the machine at the cluster's end of the link. */
  static async listen(): Promise<Witness> {
    const server = createServer().listen(0, '0.0.0.0');
    await once(server, 'listening');
    return new Witness(server, (server.address() as { port: number }).port);
  }

  /** Every process of a build that has started. */
  processes(build: string): SeenProcess[] {
    return [...this.#seen.values()].filter((seen) => seen.build === build);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  /** The answer: how many processes of this step have started by now. */
  #note({ pathname, searchParams }: URL): string {
    const [build, step, process] = ['build', 'step', 'process'].map((name) => searchParams.get(name) ?? '') as [
      string,
      string,
      string,
    ];
    this.#seen.set(process, {
      build,
      step,
      process,
      ended: pathname === '/end' || (this.#seen.get(process)?.ended ?? false),
    });
    return String(this.processes(build).filter((seen) => seen.step === step).length);
  }
}
