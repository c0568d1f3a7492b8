import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { whyNoRoot } from '@seaplane/dev-toolchain/testing/requirements.ts';
import { test as anyTest, beforeAll, describe, expect } from 'vitest';
import { createClient } from '../../client/client.ts';
import { supervisorProgram } from '../../testing/programs.ts';
import { collect, never, TestSandbox } from '../../testing/sandboxes.ts';
import { type ServerProgram, type ServerRuntime, serverPrograms } from '../../testing/server-programs.ts';

const test = anyTest.skipIf(whyNoRoot());

let programs: Record<ServerRuntime, ServerProgram>;
let supervisor = '';
beforeAll(async () => {
  supervisor = supervisorProgram();
  programs = serverPrograms();
});

const sh = (script: string) => ({ path: 'sh', args: ['-c', script] });

describe.each(['bun', 'node'] as const)('on %s', (runtime) => {
  const start = (handle = 'task-1') => TestSandbox.start(handle, programs[runtime], supervisor);
  const startAlone = () => TestSandbox.startWithoutSupervisor('task-1', programs[runtime], supervisor);

  test("[BC2] health reports whether the step's container runs", async () => {
    await using sandbox = await startAlone();
    expect(await sandbox.client.health(never())).toEqual({
      protocol: 2,
      version: '0.0.0',
      handle: 'task-1',
      supervisor: false,
    });
    sandbox.startSupervisor();
    while (!(await sandbox.client.health(never())).supervisor) await sleep(10);
  });

  test('[BC3] nothing happens without the right token', async () => {
    await using sandbox = await start();
    const { url, signer, authority } = sandbox;
    const known = { handle: 'task-1', url, authority: authority.certificate };
    const stranger = createClient({ ...known, sign: (grant) => signer.sign({ ...grant, aud: 'task-2' }) });
    await expect(stranger.run(sandbox.request({ path: 'true' }), never())).rejects.toMatchObject({
      code: 'unauthorized',
      message: 'the token is for task-2, and this is task-1',
    });
    const reader = createClient({
      ...known,
      sign: (grant) => signer.sign({ ...grant, scope: ['read:/'] }),
    });
    const hijack = { path: 'sh', args: [], env: [], dir: '/', user: '', tty: null };
    for (const ask of [
      () => reader.run(sandbox.request({ path: 'true' }), never()),
      () => reader.signal({ id: 'p', signal: 'kill' }, never()),
      () => reader.forget('p', never()),
      () => reader.hijack(hijack, never()),
      () => collect(reader, { id: 'p', attempt: '1' }),
    ]) {
      await expect(ask()).rejects.toMatchObject({ code: 'forbidden' });
    }
    await expect(stranger.hijack(hijack, never())).rejects.toMatchObject({ code: 'unauthorized' });
    await expect(sandbox.client.listArtifacts(never())).rejects.toMatchObject({ code: 'not-found' });
  });

  test('[BC5] a client of another protocol is refused, with both versions', async () => {
    await using sandbox = await start();
    const answer = await new Promise<string>((resolve) => {
      const headers = { 'Seaplane-Protocol': '1' };
      request(`${sandbox.url}/run`, { method: 'POST', headers, rejectUnauthorized: false }, async (incoming) => {
        let text = '';
        for await (const chunk of incoming) text += chunk;
        resolve(text);
      }).end();
    });
    expect(JSON.parse(answer).error.message).toBe('this sidecar speaks protocol 2, not 1');
  });

  test('[BC6] a process runs as asked for, in directories that are made for it', async () => {
    await using sandbox = await start();
    const dir = sandbox.path('work');
    const { stdout, stderr, end } = await sandbox.result({
      ...sh('echo "$A"; pwd; ls; cat; echo err >&2; exit 3'),
      env: { A: 'with = and "quotes"' },
      dir,
      directories: [dir, sandbox.path('work/out/put')],
      stdin: 'given',
    });
    expect(stdout).toBe(`with = and "quotes"\n${dir}\nout\ngiven`);
    expect(stderr).toBe('err\n');
    expect(end).toEqual({ kind: 'exited', status: 3 });
  });

  test('[BC6] a process starts once, however often it is asked for; another attempt is refused', async () => {
    await using sandbox = await start();
    const request = sandbox.request(sh('echo ran >> count'));
    await Promise.all([1, 2, 3].map(() => sandbox.client.run(request, never())));
    await collect(sandbox.client, request);
    await sandbox.client.run(request, never());
    expect(readFileSync(sandbox.path('count'), 'utf8')).toBe('ran\n');
    const other = sandbox.client.run({ ...request, attempt: 'second' }, never());
    await expect(other).rejects.toMatchObject({ code: 'conflict' });
  });

  test("[BC6] a process may be asked for before the step's container runs", async () => {
    await using sandbox = await startAlone();
    const request = sandbox.request(sh('echo late'));
    const running = sandbox.client.run(request, never());
    while (!readdirSync(sandbox.directories.own).includes('p.run')) {
      const { supervisor: connected } = await sandbox.client.health(never());
      if (!connected) sandbox.startSupervisor();
      await running;
    }
    expect((await collect(sandbox.client, request)).stdout).toBe('late\n');
  });

  test('[BC6] the answer comes when the supervisor has the process, and not before', async () => {
    await using sandbox = await start();
    await sandbox.result({ id: 'before', path: 'true' });
    sandbox.supervisor?.kill('SIGSTOP');
    let answered = false;
    const request = sandbox.request(sh('echo ran'));
    const running = sandbox.client.run(request, never()).then(() => {
      answered = true;
    });
    while (!readdirSync(sandbox.directories.own).includes('p.run')) await sleep(5);
    for (let i = 0; i < 20; i++) await sandbox.client.health(never());
    expect(answered).toBe(false);
    sandbox.supervisor?.kill('SIGCONT');
    await running;
    expect((await collect(sandbox.client, request)).stdout).toBe('ran\n');
  });

  test('[BC7] a process that a killed server recorded and did not hand over is started when it is asked for again', async () => {
    await using sandbox = await startAlone();
    await sandbox.killServer();
    writeFileSync(join(sandbox.directories.own, 'p.run'), 'first');
    writeFileSync(join(sandbox.directories.own, 'stopped.run'), 'first');
    await sandbox.startServer();
    const request = sandbox.request(sh('echo ran >> count'));
    const stopped = { ...request, id: 'stopped' };
    const running = [request, stopped].map((asked) => sandbox.client.run(asked, never()));
    // Only the supervisor knows whether it has it, so a stop waits for it too.
    const stopping = sandbox.client.signal({ id: 'stopped', signal: 'stop' }, never());
    for (let i = 0; i < 20; i++) await sandbox.client.health(never());
    sandbox.startSupervisor();
    await Promise.all([...running, stopping]);
    expect((await collect(sandbox.client, request)).end).toEqual({ kind: 'exited', status: 0 });
    expect((await collect(sandbox.client, stopped)).end).toMatchObject({ kind: 'interrupted' });
    expect(readFileSync(sandbox.path('count'), 'utf8')).toBe('ran\n');
  });

  test('[BC7] a process that was not handed over has no output', async () => {
    await using sandbox = await startAlone();
    await sandbox.killServer();
    writeFileSync(join(sandbox.directories.own, 'p.run'), 'first');
    await sandbox.startServer();
    const following = collect(sandbox.client, { id: 'p', attempt: 'first' }); // it may be, as long as nobody knows
    for (let i = 0; i < 20; i++) await sandbox.client.health(never());
    sandbox.startSupervisor();
    await expect(following).rejects.toMatchObject({ code: 'not-found' });
  });

  test('[BC7] a server that is killed again and again loses nothing and runs nothing twice', async () => {
    await using sandbox = await start();
    mkdirSync(sandbox.path('in'));
    const script =
      'echo start >> count; touch in/mine; for i in $(seq 1 150); do echo line $i; sleep 0.01; done; ls in';
    const request = sandbox.request({ ...sh(script), directories: [sandbox.path('in')] });
    await sandbox.client.run(request, never());
    const collected = collect(sandbox.client, request);
    for (let i = 0; i < 3; i++) {
      await sandbox.killServer();
      await sandbox.startServer();
      await sandbox.client.run(request, never());
    }
    const { stdout, end } = await collected;
    expect(stdout).toBe(`${Array.from({ length: 150 }, (_, i) => `line ${i + 1}\n`).join('')}mine\n`);
    expect(end).toEqual({ kind: 'exited', status: 0 });
    expect(readFileSync(sandbox.path('count'), 'utf8')).toBe('start\n');
  });

  test('[BC7] a process that ended without a server is known to the next one', async () => {
    await using sandbox = await start();
    const request = sandbox.request(sh('echo before; while ! test -e go; do sleep 0.01; done; echo after; exit 4'));
    await sandbox.client.run(request, never());
    await sandbox.killServer();
    writeFileSync(sandbox.path('go'), '');
    while (!readdirSync(sandbox.directories.records).includes('p.exit')) await sleep(5);
    sandbox.supervisor?.kill('SIGKILL');
    await sandbox.startServer();
    expect(await collect(sandbox.client, request)).toMatchObject({
      stdout: 'before\nafter\n',
      end: { kind: 'exited', status: 4 },
    });
  });

  test('[BC7] a process whose supervisor is gone is interrupted, not unstarted', async () => {
    await using sandbox = await start();
    const request = sandbox.request(sh('echo ready; exec sleep 1000'));
    await sandbox.client.run(request, never());
    sandbox.supervisor?.kill('SIGKILL');
    sandbox.startSupervisor();
    const { end } = await collect(sandbox.client, request);
    expect(end).toMatchObject({ kind: 'interrupted', message: expect.stringContaining('has gone') });
  });

  test('[BC8] output is served from any offset of each stream', async () => {
    await using sandbox = await start();
    const request = sandbox.request(sh('printf 0123456789; printf abcdef >&2'));
    await sandbox.client.run(request, never());
    expect(await collect(sandbox.client, request, { stdout: 3, stderr: 5 })).toMatchObject({
      stdout: '3456789',
      stderr: 'f',
    });
    expect(await collect(sandbox.client, request, { stdout: 10, stderr: 99 })).toMatchObject({
      stdout: '',
      stderr: '',
    });
  });

  test('[BC8] output comes as it is written, and 50 MB of it come whole', async () => {
    await using sandbox = await start();
    const script = 'echo first; while ! test -e go; do sleep 0.01; done; head -c 50000000 /dev/zero';
    const request = sandbox.request(sh(script));
    await sandbox.client.run(request, never());
    let length = 0;
    for await (const item of sandbox.client.output(request, { stdout: 0, stderr: 0 }, never())) {
      if (item.kind !== 'stdout') continue;
      if (length === 0) writeFileSync(sandbox.path('go'), '');
      length += item.bytes.length;
    }
    expect(length).toBe(50_000_006);
  });

  test('[BC9] an unknown process, or one of another attempt, has no output', async () => {
    await using sandbox = await start();
    await sandbox.result({ path: 'true' });
    const unknown = collect(sandbox.client, { id: 'nobody', attempt: 'first' });
    await expect(unknown).rejects.toMatchObject({ code: 'not-found' });
    const other = collect(sandbox.client, { id: 'p', attempt: 'second' });
    await expect(other).rejects.toMatchObject({ code: 'conflict' });
  });

  test('[BC9] a client can stop following', async () => {
    await using sandbox = await start();
    const request = sandbox.request(sh('echo one; sleep 1000'));
    await sandbox.client.run(request, never());
    const abort = new AbortController();
    const follow = async () => {
      for await (const _ of sandbox.client.output(request, { stdout: 0, stderr: 0 }, abort.signal)) {
        abort.abort(new Error('seen enough'));
      }
    };
    await expect(follow()).rejects.toThrow('seen enough');
  });

  test('[BC10] a process can still write after stop; not after kill', async () => {
    await using sandbox = await start();
    for (const [id, signal] of [
      ['a', 'stop'],
      ['b', 'kill'],
    ] as const) {
      const script = 'trap "echo bye; exit 7" TERM; echo ready; while :; do sleep 0.01; done';
      const request = sandbox.request({ id, ...sh(script) });
      await sandbox.client.run(request, never());
      let [text, end] = ['', {}];
      for await (const item of sandbox.client.output(request, { stdout: 0, stderr: 0 }, never())) {
        if (item.kind === 'exit') end = item.record.end;
        else text += Buffer.from(item.bytes).toString();
        if (text === 'ready\n') await sandbox.client.signal({ id, signal }, never());
      }
      const stopped = { text: 'ready\nbye\n', end: { kind: 'exited', status: 7 } };
      const killed = { text: 'ready\n', end: { kind: 'signaled', signal: 9 } };
      expect({ text, end }).toEqual(signal === 'stop' ? stopped : killed);
    }
    const nobody = sandbox.client.signal({ id: 'nobody', signal: 'stop' }, never());
    await expect(nobody).rejects.toMatchObject({ code: 'not-found' });
  });

  test('[BC10] a process that has not started yet is stopped', async () => {
    await using sandbox = await startAlone();
    const request = sandbox.request({ path: 'true' });
    const running = sandbox.client.run(request, never());
    const stop = () => sandbox.client.signal({ id: 'p', signal: 'stop' }, never());
    while (
      await stop().then(
        () => false,
        () => true,
      )
    ) {
      await sleep(5);
    }
    await running;
    expect((await collect(sandbox.client, request)).end).toMatchObject({ kind: 'interrupted' });
    sandbox.startSupervisor();
    await sandbox.result({ id: 'next', path: 'true' });
    expect(readdirSync(sandbox.directories.output).sort()).toEqual(['next.stderr', 'next.stdout']);
  });

  test('[BC11] a forgotten process leaves nothing, and its id can be used again', async () => {
    await using sandbox = await start();
    const request = sandbox.request(sh('echo ready; while ! test -e go; do sleep 0.01; done'));
    await sandbox.client.run(request, never());
    await expect(sandbox.client.forget('p', never())).rejects.toMatchObject({ code: 'conflict' });
    writeFileSync(sandbox.path('go'), '');
    await collect(sandbox.client, request);
    await sandbox.client.forget('p', never());
    await sandbox.client.forget('p', never());
    const again = { ...sh('echo again'), attempt: 'second' };
    expect((await sandbox.result(again)).stdout).toBe('again\n');
    await sandbox.client.forget('p', never());
    while (readdirSync(sandbox.directories.output).length > 0) await sleep(5);
    expect(readdirSync(sandbox.directories.records)).toEqual([]);
    expect(readdirSync(sandbox.directories.own)).toEqual(['secret']);
  });
});
