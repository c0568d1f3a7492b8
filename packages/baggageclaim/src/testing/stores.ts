import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Authority } from '../client/authority.ts';
import { createClient } from '../client/client.ts';
import type { BaggageclaimClient } from '../client/client-interface.ts';
import { createSigner, generateKeys, type Signer } from '../client/signer.ts';
import { listeningAddress } from './sandboxes.ts';
import type { ServerProgram } from './server-programs.ts';

/** A store of the real program on this machine. */
export class TestStore implements AsyncDisposable {
  readonly dir = mkdtempSync(join(tmpdir(), 'store-'));
  readonly signer: Signer;
  readonly #authority: Authority;
  readonly #program: ServerProgram;
  #server: ChildProcess | undefined;
  url = '';
  imageUrl = '';
  relayAddress = '';
  /** As logged at the last start. */
  loggedUsage = '';

  private constructor(program: ServerProgram, signer: Signer, authority: Authority) {
    this.signer = signer;
    this.#authority = authority;
    this.#program = program;
  }

  static async start(program: ServerProgram): Promise<TestStore> {
    const signer = createSigner(generateKeys().privateKey);
    const store = new TestStore(program, signer, await signer.authorityOf('test'));
    await store.startServer();
    return store;
  }

  get client(): BaggageclaimClient {
    return this.limitedClient();
  }

  limitedClient(limits?: { artifactBytes: number; teamBytes: number }): BaggageclaimClient {
    const known = { handle: 'store', url: this.url, authority: this.#authority.certificate };
    return createClient({ ...known, sign: this.signer.sign, ...(limits && { limits }) });
  }

  async startServer(): Promise<void> {
    const listen = ['--listen', '127.0.0.1:0', '--listen-images', '127.0.0.1:0', '--listen-relay', '127.0.0.1:0'];
    const [command = '', ...args] = [...this.#program.command, 'store', this.dir, ...listen];
    const env = {
      PATH: process.env['PATH'],
      SEAPLANE_HANDLE: 'store',
      SEAPLANE_PUBLIC_KEY: this.signer.publicKey,
      SEAPLANE_AUTHORITY_KEY: this.#authority.key,
    };
    this.#server = spawn(command, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
    const pattern = / listens at (\S+), serves images at (\S+) and relays at (\S+)\nthe store store (holds .*)\n/;
    const [address, images, relay = '', usage = ''] = await listeningAddress(this.#server, pattern);
    this.url = `https://${address}`;
    this.imageUrl = `http://${images}`;
    this.relayAddress = relay;
    this.loggedUsage = usage;
  }

  /** Returns its exit status and signal. */
  async stopServer(signal: NodeJS.Signals): Promise<unknown[]> {
    const gone = once(this.#server as ChildProcess, 'exit');
    this.#server?.kill(signal);
    return gone;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#server?.exitCode === null && this.#server.signalCode === null) await this.stopServer('SIGTERM');
    rmSync(this.dir, { recursive: true, force: true });
  }
}
