import { type ChildProcess, spawn } from 'node:child_process';
import { on, once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Authority } from '../client/authority.ts';
import { createClient } from '../client/client.ts';
import type { BaggageclaimClient, OutputPosition } from '../client/client-interface.ts';
import { createSigner, generateKeys, type Signer } from '../client/signer.ts';
import type { ExitRecord, RunRequest } from '../protocol/messages.ts';
import { directoriesBelow, type SandboxDirectories } from '../protocol/places.ts';
import type { ServerProgram } from './server-programs.ts';

/** A sandbox of real programs on this machine: the server, and the supervisor beside it. */
export class TestSandbox implements AsyncDisposable {
  readonly handle: string;
  readonly dir: string;
  readonly directories: SandboxDirectories;
  readonly signer: Signer;
  readonly authority: Authority;
  readonly #server: ServerProgram;
  readonly #supervisorProgram: string;
  server: ChildProcess | undefined;
  supervisor: ChildProcess | undefined;
  url = '';

  private constructor(handle: string, signer: Signer, authority: Authority, server: ServerProgram, supervisor: string) {
    this.handle = handle;
    this.#server = server;
    this.#supervisorProgram = supervisor;
    this.dir = mkdtempSync(join(tmpdir(), 'sandbox-'));
    this.directories = directoriesBelow(this.dir);
    this.signer = signer;
    this.authority = authority;
  }

  static async start(handle: string, server: ServerProgram, supervisor: string): Promise<TestSandbox> {
    const sandbox = await TestSandbox.startWithoutSupervisor(handle, server, supervisor);
    sandbox.startSupervisor();
    return sandbox;
  }

  /** The state while the step's image is being pulled. */
  static async startWithoutSupervisor(handle: string, server: ServerProgram, supervisor: string) {
    const signer = createSigner(generateKeys().privateKey);
    const sandbox = new TestSandbox(handle, signer, await signer.authorityOf('test'), server, supervisor);
    await sandbox.startServer();
    return sandbox;
  }

  get client(): BaggageclaimClient {
    const { handle, url, signer, authority } = this;
    return createClient({ handle, url, sign: signer.sign, authority: authority.certificate });
  }

  /** Starts the server at the same address as before, if there was one. */
  async startServer(): Promise<void> {
    const at = this.url ? new URL(this.url).host : '127.0.0.1:0';
    const [command = '', ...args] = [...this.#server.command, '--dir', this.dir, '--listen', at];
    const env = {
      PATH: process.env['PATH'],
      SEAPLANE_HANDLE: this.handle,
      SEAPLANE_PUBLIC_KEY: this.signer.publicKey,
      SEAPLANE_AUTHORITY_KEY: this.authority.key,
    };
    this.server = spawn(command, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
    const [address] = await listeningAddress(this.server, / listens at (\S+)\n/);
    this.url = `https://${address}`;
  }

  async killServer(): Promise<void> {
    const gone = once(this.server as ChildProcess, 'exit');
    this.server?.kill('SIGKILL');
    await gone;
  }

  startSupervisor(): void {
    const { socket, records, output } = this.directories;
    const args = ['--socket', socket, '--records', records, '--output', output];
    this.supervisor = spawn(this.#supervisorProgram, args, { env: { PATH: process.env['PATH'] }, stdio: 'ignore' });
  }

  path(name: string): string {
    return join(this.directories.build, name);
  }

  /** Runs a process to its end, and collects its output and record. */
  async result(request: Partial<RunRequest> & { path: string }) {
    const full = this.request(request);
    await this.client.run(full, never());
    return collect(this.client, full);
  }

  request(request: Partial<RunRequest> & { path: string }): RunRequest {
    return {
      id: 'p',
      attempt: 'first',
      args: [],
      env: {},
      dir: this.directories.build,
      user: '',
      tty: null,
      stdin: '',
      inputs: [],
      directories: [],
      ...request,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of [this.supervisor, this.server]) {
      if (!child || child.exitCode !== null || child.signalCode !== null) continue;
      const gone = once(child, 'exit');
      child.kill('SIGTERM');
      await gone;
    }
    rmSync(this.dir, { recursive: true, force: true });
  }
}

export async function collect(
  client: BaggageclaimClient,
  process: { id: string; attempt: string },
  from: OutputPosition = { stdout: 0, stderr: 0 },
) {
  const bytes = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] };
  let record: ExitRecord | undefined;
  for await (const item of client.output(process, from, never())) {
    if (item.kind === 'exit') record = item.record;
    else bytes[item.kind].push(item.bytes);
  }
  const text = (chunks: Uint8Array[]) => Buffer.concat(chunks).toString('utf8');
  return { stdout: text(bytes.stdout), stderr: text(bytes.stderr), record, end: record?.end };
}

export function never(): AbortSignal {
  return new AbortController().signal;
}

/** The addresses that a server logs when it is ready. */
export async function listeningAddress(child: ChildProcess, pattern: RegExp): Promise<string[]> {
  let said = '';
  for await (const chunk of on(child.stderr?.setEncoding('utf8') as Readable, 'data', { close: ['end'] })) {
    said += chunk[0] as string;
    const [, ...addresses] = pattern.exec(said) ?? [];
    if (addresses.length === 0) continue;
    child.stderr?.resume();
    return addresses;
  }
  throw new Error(`the server did not start: ${said}`);
}
