import { posix } from 'node:path';
import {
  type ArtifactSource,
  type BaggageclaimClient,
  BaggageclaimError,
  type HijackStream,
  type OutputItem,
  type RegistryImageAnswer,
  type RegistryImageRequest,
  type RunRequest,
} from '@seaplane/baggageclaim';
import type { ExitRecord, ImageAnswer } from '@seaplane/baggageclaim/testing';
import { FileTree } from './file-tree.ts';
import { KilledBy, OutOfMemory, type Program } from './in-memory-programs.ts';

interface Process {
  readonly request: RunRequest;
  readonly stop: AbortController;
  stdout: Buffer;
  stderr: Buffer;
  record?: ExitRecord;
}

/** A sidecar and the container beside it, or a store, in memory. Behaves as the real ones do, seen through the client. */
export class InMemorySidecar implements BaggageclaimClient {
  readonly files = new FileTree();
  /** What a store was asked to pull, and why it can't, for tests. */
  readonly pulls: RegistryImageRequest[] = [];
  refusal: string | undefined;
  /** Whether {@link refusal} is that of a registry which does not answer. */
  silentRegistry = false;
  readonly #handle: string;
  readonly #programs: Readonly<Record<string, Program>>;
  readonly #network: Map<string, InMemorySidecar>;
  readonly #processes = new Map<string, Process>();
  readonly #artifacts = new Set<string>();
  /** Resolved and replaced at each change, so that a reader that was busy meanwhile still sees it. */
  #changed = Promise.withResolvers<void>();

  constructor(handle: string, programs: Readonly<Record<string, Program>>, network: Map<string, InMemorySidecar>) {
    this.#handle = handle;
    this.#programs = programs;
    this.#network = network;
    network.set(handle, this);
  }

  async health() {
    return { protocol: 1, version: 'in-memory', handle: this.#handle, supervisor: true };
  }

  async run(request: RunRequest): Promise<void> {
    const known = this.#processes.get(request.id);
    if (known && known.request.attempt !== request.attempt) throw new Error(`${request.id} runs as another attempt`);
    if (known) return;
    const empty = Buffer.alloc(0);
    const process: Process = { request, stop: new AbortController(), stdout: empty, stderr: empty };
    this.#processes.set(request.id, process);
    void this.#execute(process);
  }

  async *output(
    { id, attempt }: { id: string; attempt: string },
    from: { stdout: number; stderr: number },
    signal: AbortSignal,
  ): AsyncGenerator<OutputItem> {
    const process = this.#processes.get(id);
    if (!process) throw new BaggageclaimError('not-found', `no process ${id}`);
    const at = { ...from };
    for (;;) {
      signal.throwIfAborted();
      const changed = this.#changed.promise;
      const record = process.record;
      for (const kind of ['stdout', 'stderr'] as const) {
        const bytes = process[kind].subarray(at[kind]);
        at[kind] += bytes.length;
        if (bytes.length > 0) yield { kind, bytes };
      }
      if (record) {
        if (record.attempt !== attempt) throw new Error(`the exit record of ${id} is of another attempt`);
        yield { kind: 'exit', record };
        return;
      }
      await Promise.race([changed, aborted(signal)]);
    }
  }

  async signal({ id }: { id: string }): Promise<void> {
    this.#processes.get(id)?.stop.abort();
  }

  async forget(id: string): Promise<void> {
    this.#processes.delete(id);
  }

  /** For tests: what it holds. */
  processIds(): string[] {
    return [...this.#processes.keys()];
  }

  async hijack(): Promise<HijackStream> {
    throw new Error('an in-memory sandbox has no shell');
  }

  async readTree(path: string): Promise<ReadableStream<Uint8Array>> {
    return this.files.pack(path);
  }

  async readFile(directory: string, file: string, maxBytes: number): Promise<Uint8Array | undefined> {
    const bytes = this.files.read(posix.join(directory, file));
    if (bytes && bytes.length > maxBytes) throw new BaggageclaimError('too-large', `${file} is too large`);
    return bytes;
  }

  sourceOf(path: string): ArtifactSource[number] {
    return {
      url: `memory://${this.#handle}${path}`,
      token: this.#handle,
      server: { name: this.#handle, authority: '' },
    };
  }

  async putArtifact(id: string, _team: string, tar: ReadableStream<Uint8Array>): Promise<void> {
    await this.files.unpack(artifactPath(id), tar);
    this.#artifacts.add(id);
  }

  async pullArtifact(id: string, team: string, from: ArtifactSource): Promise<void> {
    await this.putArtifact(id, team, this.#pull(from));
  }

  async hasArtifact(id: string): Promise<boolean> {
    return this.#artifacts.has(id);
  }

  async readArtifact(id: string): Promise<ReadableStream<Uint8Array>> {
    if (!this.#artifacts.has(id)) throw new BaggageclaimError('not-found', `the store has no artifact ${id}`);
    return this.files.pack(artifactPath(id));
  }

  /** A store has what it was given; a sandbox has every directory. */
  serves(path: string): boolean {
    const [, id] = /^\/artifacts\/(.*)$/.exec(path) ?? [];
    return id === undefined || this.#artifacts.has(id);
  }

  async readArtifactFile(id: string, path: string, maxBytes: number): Promise<Uint8Array | undefined> {
    return this.readFile(artifactPath(id), path, maxBytes);
  }

  artifactSource(id: string): ArtifactSource[number] {
    return this.sourceOf(artifactPath(id));
  }

  async listArtifacts(): Promise<readonly string[]> {
    return [...this.#artifacts];
  }

  async deleteArtifact(id: string): Promise<void> {
    this.files.remove(artifactPath(id));
    this.#artifacts.delete(id);
  }

  async makeImage(id: string): Promise<ImageAnswer> {
    if (!this.#artifacts.has(id)) throw new BaggageclaimError('not-found', `the store has no artifact ${id}`);
    const text = this.files.read(`${artifactPath(id)}/metadata.json`)?.toString();
    if (text === undefined) throw new Error('no metadata.json. Is the image in rootfs format?');
    const { env = [], user = '' } = JSON.parse(text) as { env?: string[]; user?: string };
    return { path: id, digest: `sha256:${id}`, env, user };
  }

  async provideRegistryImage(
    request: RegistryImageRequest,
    onLine: (line: string) => void,
  ): Promise<RegistryImageAnswer> {
    this.pulls.push(request);
    if (this.refusal !== undefined)
      throw new BaggageclaimError(this.silentRegistry ? 'registry-silent' : 'unavailable', this.refusal);
    const cached = this.pulls.some((pull) => pull !== request && pull.digest === request.digest);
    if (!cached) onLine(`pulling ${request.repository}`);
    return {
      ...(cached && { cached }),
      reference: `${request.repository}@${request.digest}`,
      env: ['COLOUR=blue'],
      user: 'app',
      command: ['run'],
    };
  }

  async #execute(process: Process): Promise<void> {
    const start = performance.now();
    const { end, ...outOfMemory } = await this.#runToEnd(process);
    const { id, attempt } = process.request;
    const wallSeconds = (performance.now() - start) / 1000;
    process.record = { id, attempt, end, wallSeconds, cpuSeconds: 0, peakMemoryBytes: 0, ...outOfMemory };
    this.#change();
  }

  async #runToEnd(process: Process): Promise<Pick<ExitRecord, 'end' | 'outOfMemory'>> {
    const { request, stop } = process;
    try {
      const outerFirst = request.inputs.toSorted((a, b) => a.path.length - b.path.length);
      for (const { path, from } of outerFirst) await this.files.unpack(path, this.#pull(from));
    } catch (error) {
      return { end: { kind: 'not-started', cause: 'input', message: (error as Error).message } };
    }
    const program = this.#programs[request.path];
    if (!program) {
      const message = `exec failed: ${request.path}: no such file or directory`;
      return { end: { kind: 'not-started', cause: 'executable', message } };
    }
    const print = (kind: 'stdout' | 'stderr') => (text: string) => {
      process[kind] = Buffer.concat([process[kind], Buffer.from(text)]);
      this.#change();
    };
    const context = {
      request,
      files: this.files,
      stopped: stop.signal,
      stdout: print('stdout'),
      stderr: print('stderr'),
    };
    try {
      return { end: { kind: 'exited', status: await program(context) } };
    } catch (error) {
      if (error instanceof KilledBy) return { end: { kind: 'signaled', signal: error.signal } };
      if (error instanceof OutOfMemory) {
        return { end: { kind: 'signaled', signal: 9 }, outOfMemory: { limitBytes: error.limitBytes } };
      }
      throw error;
    }
  }

  #pull(from: ArtifactSource): ReadableStream<Uint8Array> {
    for (const { url } of from) {
      const { host, pathname } = new URL(url);
      const sidecar = this.#network.get(host);
      if (sidecar?.serves(pathname)) return sidecar.files.pack(pathname);
    }
    throw new Error(`no source answers: ${from.map(({ url }) => url).join(', ')}`);
  }

  #change(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

function artifactPath(id: string): string {
  return `/artifacts/${id}`;
}
