import type { BaggageclaimClient, ProcessEnd, RunRequest } from '@seaplane/baggageclaim';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SandboxHost, SandboxSpec } from '../host/sandbox-host.ts';
import { SandboxWatch } from '../host/sandbox-watch.ts';

export interface HostUnderTest extends AsyncDisposable {
  readonly host: SandboxHost;
  /** An image with busybox's programs on its PATH. */
  readonly image: string;
}

/** The rules every place to run keeps (SPEC.md, HOST). The host may be shared with others: only own handles are used. */
export function describeSandboxHost(name: string, open: () => Promise<HostUnderTest>): void {
  describe(`${name} as a SandboxHost`, () => {
    let opened: HostUnderTest;
    let host: SandboxHost;
    let watch: SandboxWatch;
    const made: string[] = [];
    const quick = () => AbortSignal.timeout(60_000);

    beforeAll(async () => {
      opened = await open();
      host = opened.host;
      watch = new SandboxWatch(host, (error) => console.error(error));
    });

    afterAll(async () => {
      for (const handle of made) await host.destroy(handle);
      await watch?.[Symbol.asyncDispose]();
      await opened?.[Symbol.asyncDispose]();
    });

    function specOf(handle: string): SandboxSpec {
      const labels = { type: 'task' as const, team: 'main', step: 'contract' };
      const image = { reference: opened.image };
      return { handle, image, privileged: false, hermetic: false, mounts: [], labels };
    }

    async function sandbox(handle: string): Promise<BaggageclaimClient> {
      made.push(handle);
      await host.create(specOf(handle), quick());
      await watch.untilReady(handle, quick(), () => {});
      return host.connect(handle);
    }

    function request(id: string, [path = '', ...args]: string[], more: Partial<RunRequest> = {}): RunRequest {
      const plain = { env: {}, dir: '/', user: '', tty: null, stdin: '', inputs: [], directories: [] };
      return { id, attempt: `${id}-1`, path, args, ...plain, ...more };
    }

    async function finish(client: BaggageclaimClient, { id, attempt }: RunRequest, from = { stdout: 0, stderr: 0 }) {
      const text = { stdout: '', stderr: '' };
      let end: ProcessEnd | undefined;
      for await (const item of client.output({ id, attempt }, from, quick())) {
        if (item.kind === 'exit') end = item.record.end;
        else text[item.kind] += Buffer.from(item.bytes).toString();
      }
      return { ...text, end };
    }

    async function runToEnd(client: BaggageclaimClient, wanted: RunRequest) {
      await client.run(wanted, quick());
      return finish(client, wanted);
    }

    test('[ORC-HOST1] creating a sandbox that exists finds it', async () => {
      const client = await sandbox('contract-twice');
      await client.run(request('first', ['echo', 'once']), quick());
      await host.create(specOf('contract-twice'), quick());
      expect(await finish(await host.connect('contract-twice'), request('first', []))).toMatchObject({
        stdout: 'once\n',
      });
    });

    test('[ORC-HOST2] a new watch yields every sandbox there is, then `synced`', async () => {
      await sandbox('contract-watched');
      const stop = new AbortController();
      const seen: string[] = [];
      for await (const event of host.watch(stop.signal)) {
        if (event.kind === 'state' && event.state.phase === 'ready') seen.push(event.handle);
        if (event.kind === 'synced') break;
      }
      stop.abort();
      expect(seen).toContain('contract-watched');
    });

    test('[ORC-HOST3] a process has its arguments, environment and stdin, and its streams apart', async () => {
      const client = await sandbox('contract-process');
      expect(await runToEnd(client, request('echo', ['echo', 'a', 'b c']))).toEqual({
        stdout: 'a b c\n',
        stderr: '',
        end: { kind: 'exited', status: 0 },
      });
      const env = { GREETING: 'hello' };
      expect((await runToEnd(client, request('env', ['env'], { env }))).stdout).toContain('GREETING=hello\n');
      expect(await runToEnd(client, request('stdin', ['cat'], { stdin: 'from stdin' }))).toMatchObject({
        stdout: 'from stdin',
      });
      const missing = await runToEnd(client, request('stderr', ['cat', '/no/such']));
      expect(missing.stdout).toBe('');
      expect(missing.stderr).toContain('No such file');
      expect(missing.end).toEqual({ kind: 'exited', status: 1 });
    });

    test('[ORC-HOST4] no such executable is not an exit status', async () => {
      const client = await sandbox('contract-process');
      const { end } = await runToEnd(client, request('missing', ['no-such-program']));
      expect(end).toMatchObject({ kind: 'not-started', cause: 'executable' });
    });

    test('[ORC-HOST5] asked twice, a process runs once; its output can be read again from any offset', async () => {
      const client = await sandbox('contract-process');
      const wanted = request('again', ['echo', '0123456789']);
      await runToEnd(client, wanted);
      await client.run(wanted, quick());
      expect(await finish(client, wanted)).toMatchObject({ stdout: '0123456789\n' });
      expect(await finish(client, wanted, { stdout: 7, stderr: 0 })).toMatchObject({ stdout: '789\n' });
    });

    test('[ORC-HOST6] an exit record of another attempt is refused', async () => {
      const client = await sandbox('contract-process');
      const wanted = request('fenced', ['echo']);
      await runToEnd(client, wanted);
      await expect(client.run({ ...wanted, attempt: 'other' }, quick())).rejects.toThrow();
      await expect(finish(client, { ...wanted, attempt: 'other' })).rejects.toThrow();
    });

    test('[ORC-HOST7] a process that is stopped ends by a signal', async () => {
      const client = await sandbox('contract-process');
      const wanted = request('stopped', ['sleep', '600']);
      await client.run(wanted, quick());
      const ended = finish(client, wanted);
      await client.signal({ id: 'stopped', signal: 'stop' }, quick());
      expect((await ended).end).toEqual({ kind: 'signaled', signal: 15 });
    });

    test('[ORC-HOST8] a sandbox can copy a directory of another sandbox, also from the store', async () => {
      const store = await host.store();
      const body = await packedFile('hello.txt', 'hello');
      await store.putArtifact('contract-artifact', 'team', body, quick());
      const client = await sandbox('contract-consumer');
      const inputs = [{ path: '/tmp/build/in', from: [store.artifactSource('contract-artifact')] }];
      const dir = '/tmp/build';
      const cat = request('cat', ['cat', 'in/hello.txt'], { inputs, dir });
      expect(await runToEnd(client, cat)).toMatchObject({ stdout: 'hello' });
      expect(Buffer.from((await client.readFile('/tmp/build/in', 'hello.txt', 1024, quick())) ?? []).toString()).toBe(
        'hello',
      );
      expect(await client.readFile('/tmp/build/in', 'none', 1024, quick())).toBeUndefined();

      const next = await sandbox('contract-next');
      const copied = [{ path: '/tmp/build/copy', from: [client.sourceOf('/tmp/build/in')] }];
      const read = request('cat', ['cat', 'copy/hello.txt'], { inputs: copied, dir });
      expect(await runToEnd(next, read)).toMatchObject({ stdout: 'hello' });
      await store.deleteArtifact('contract-artifact', quick());
      expect(await store.hasArtifact('contract-artifact', quick())).toBe(false);
    });

    test('[ORC-HOST9] a destroyed sandbox goes, and destroying one that does not exist succeeds', async () => {
      await sandbox('contract-doomed');
      await host.destroy('contract-doomed');
      await watch.untilGone('contract-doomed', quick());
      await host.destroy('contract-doomed');
      await host.destroy('contract-never-was');
    });

    test('[ORC-HOST11] a host lists its sandboxes', async () => {
      await sandbox('contract-listed');
      expect(await host.list(quick())).toContain('contract-listed');
      await host.destroy('contract-listed');
      await watch.untilGone('contract-listed', quick());
      expect(await host.list(quick())).not.toContain('contract-listed');
    });

    test('[ORC-HOST10] a host returns whether it is usable', async () => {
      expect(await host.check(quick())).toMatchObject({ usable: true, problems: [] });
    });

    // The last test: the host is of no use after it.
    test('[ORC-HOST12] a host removes everything that was made on it', async () => {
      const tar = await packedFile('last', 'kept');
      await (await host.store()).putArtifact('contract-last', 'team', tar, quick());
      await expect.poll(() => host.clear(quick()), { timeout: 60_000, interval: 500 }).toBe(true);
      expect(await host.list(quick())).toEqual([]);
      expect(await host.clear(quick())).toBe(true);
    });

    /** A tar stream with one file; how the store's own kind packs it is not our business. */
    async function packedFile(path: string, content: string): Promise<ReadableStream<Uint8Array>> {
      const client = await sandbox('contract-producer');
      const script = `mkdir -p out && printf ${content} >out/${path}`;
      const write = request('write', ['sh', '-c', script], { dir: '/tmp/build' });
      expect(await runToEnd(client, write)).toMatchObject({ end: { kind: 'exited', status: 0 } });
      return client.readTree('/tmp/build/out', quick());
    }
  });
}
