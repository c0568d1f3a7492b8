import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { HijackOutput } from './client-interface.ts';
import { compileBaggageclaim, compileSupervisor } from './testing/programs.ts';
import { collect, never, type ServerProgram, TestSandbox } from './testing/sandboxes.ts';

const programs: Record<string, ServerProgram> = {
  node: { runtime: 'node', command: [process.execPath, join(import.meta.dirname, 'main.ts')] },
};
let supervisor = '';
beforeAll(() => {
  supervisor = compileSupervisor();
  programs['bun'] = { runtime: 'bun', command: [compileBaggageclaim()] };
});

const sh = (script: string) => ({ path: 'sh', args: ['-c', script] });

describe.each(['bun', 'node'])('on %s', (runtime) => {
  const start = (handle = 'task-1') => TestSandbox.start(handle, programs[runtime] as ServerProgram, supervisor);

  test('health', async () => {
    await using sandbox = await start();
    const health = await sandbox.client.health(never());
    expect(health).toMatchObject({ protocol: 1, handle: 'task-1' });
  });

  test('runs', async () => {
    await using sandbox = await start();
    const result = await sandbox.result({ ...sh('echo out; echo err >&2; echo $A; exit 3'), env: { A: 'b' } });
    expect(result).toMatchObject({ stdout: 'out\nb\n', stderr: 'err\n', end: { kind: 'exited', status: 3 } });
  });

  test('kill -9 of the server during a run', async () => {
    await using sandbox = await start();
    const script = 'for i in $(seq 1 200); do echo line $i; sleep 0.01; done';
    const request = sandbox.request(sh(script));
    await sandbox.client.run(request, never());
    const collected = collect(sandbox.client, request);
    for (let i = 0; i < 3; i++) {
      await sandbox.killServer();
      await sandbox.startServer();
      await sandbox.client.run(request, never());
    }
    const { stdout, end } = await collected;
    expect(stdout).toBe(Array.from({ length: 200 }, (_, i) => `line ${i + 1}\n`).join(''));
    expect(end).toEqual({ kind: 'exited', status: 0 });
  });

  test('hijack', async () => {
    await using sandbox = await start();
    await sandbox.result({ path: 'true', env: { PARAM: 'x' } });
    const request = { path: 'sh', args: [], env: ['E=1'], dir: '/usr', user: '', tty: null };
    await using stream = await sandbox.client.hijack(request, never());
    stream.send({ stdin: Buffer.from('echo $PARAM $E $(pwd); exit 5\n').toString('base64') });
    const messages: HijackOutput[] = [];
    for await (const message of stream.messages) messages.push(message);
    expect(messages.at(-1)).toEqual({ exit_status: 5 });
    const out = messages.flatMap((m) => ('stdout' in m ? [Buffer.from(m.stdout, 'base64').toString()] : [])).join('');
    expect(out).toBe('x 1 /usr\n');
  });

  test('inputs', async () => {
    await using from = await start('get-1');
    await using to = await start('task-2');
    mkdirSync(from.path('get/sub'), { recursive: true });
    writeFileSync(from.path('get/sub/file'), 'content', { mode: 0o751 });
    // The other sandbox's tokens are signed by its own web here.
    const inputs = [{ path: to.path('in'), from: [from.client.sourceOf(from.path('get'))] }];
    const result = await to.result({ ...sh('cat in/sub/file'), inputs });
    expect(result.stdout).toBe('content');
    expect(statSync(to.path('in/sub/file')).mode & 0o777).toBe(0o751);
    expect(readFileSync(to.path('in/sub/file'), 'utf8')).toBe('content');
  });
});
