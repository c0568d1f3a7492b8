import { execFileSync } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { whyNoRoot } from '@seaplane/dev-toolchain/testing/requirements.ts';
import { test as anyTest, beforeAll, describe, expect } from 'vitest';
import { supervisorProgram } from '../../testing/programs.ts';
import { collect, never, TestSandbox } from '../../testing/sandboxes.ts';
import { type ServerProgram, type ServerRuntime, serverPrograms } from '../../testing/server-programs.ts';

const test = anyTest.skipIf(whyNoRoot());
const HOSTILE = join(import.meta.dirname, '../../testing/hostile-process.mjs');

let programs: Record<ServerRuntime, ServerProgram>;
let supervisor = '';
beforeAll(async () => {
  supervisor = supervisorProgram();
  programs = serverPrograms();
});

const sh = (script: string) => ({ path: 'sh', args: ['-c', script] });

describe.each(['bun', 'node'] as const)('on %s', (runtime) => {
  const start = () => TestSandbox.start('task-1', programs[runtime], supervisor);

  /** Starts the process and returns its request when it has tried everything once. */
  async function startHostile(sandbox: TestSandbox) {
    const { socket, records } = sandbox.directories;
    const args = [HOSTILE, socket, records, sandbox.path('go')];
    const request = sandbox.request({ path: process.execPath, args });
    await sandbox.client.run(request, never());
    let text = '';
    for await (const item of sandbox.client.output(request, { stdout: 0, stderr: 0 }, never())) {
      if (item.kind === 'exit') throw new Error(`it has ended: ${JSON.stringify(item.record)} ${text}`);
      text += Buffer.from(item.bytes).toString();
      if (text.includes('tried\n')) return request;
    }
    throw new Error('unreachable');
  }

  test('[BC24] a root process of the step forges no record, and gets nothing that is for the supervisor', async () => {
    await using sandbox = await start();
    const request = await startHostile(sandbox);
    const other = { id: 'next', ...sh('cat'), stdin: 'the source of the next check' };
    expect(await sandbox.result(other)).toMatchObject({ stdout: other.stdin, end: { kind: 'exited', status: 0 } });
    writeFileSync(sandbox.path('go'), '');
    expect(await collect(sandbox.client, request)).toMatchObject({
      stdout: 'tried\n',
      stderr: '',
      end: { kind: 'exited', status: 3 },
    });
  });

  test('[BC24] a server that was killed knows its supervisor again, whoever connects first', async () => {
    await using sandbox = await start();
    const request = await startHostile(sandbox);
    for (let i = 0; i < 3; i++) {
      await sandbox.killServer();
      await sandbox.startServer();
      const { stdout } = await sandbox.result({ id: `next-${i}`, ...sh('cat'), stdin: 'source' });
      expect(stdout).toBe('source');
    }
    const later = collect(sandbox.client, { id: 'later', attempt: 'first' });
    await expect(later).rejects.toMatchObject({ code: 'not-found' });
    writeFileSync(sandbox.path('go'), '');
    expect(await collect(sandbox.client, request)).toMatchObject({
      stdout: 'tried\n',
      end: { kind: 'exited', status: 3 },
    });
  });

  test('[BC24] a record that was changed while no server ran does not count', async () => {
    await using sandbox = await start();
    const request = sandbox.request(sh('exit 3'));
    await sandbox.client.run(request, never());
    await collect(sandbox.client, request);
    await sandbox.killServer();
    const file = join(sandbox.directories.records, 'p.exit');
    writeFileSync(file, readFileSync(file, 'utf8').replace('"status":3', '"status":0'));
    await sandbox.startServer();
    expect((await collect(sandbox.client, request)).end).toEqual({ kind: 'exited', status: 3 });
  });

  test("[BC24] the secret is in no place that the step's container has", async () => {
    await using sandbox = await start();
    const { stdout } = await sandbox.result(sh('env; ls -A; cat'));
    const secret = readFileSync(join(sandbox.directories.own, 'secret'), 'utf8');
    expect(secret).toMatch(/^[0-9a-f]{64}$/);
    expect(stdout).not.toContain(secret);
    const shared = [join(sandbox.dir, 'control'), join(sandbox.dir, 'build')];
    const found = execFileSync('sh', ['-c', 'grep -rl "$0" "$@" || true', secret, ...shared], { encoding: 'utf8' });
    expect(found).toBe('');
  });

  test("[BC24] output is not read through a link to the sidecar's files", async () => {
    await using sandbox = await start();
    const { own, output } = sandbox.directories;
    const request = sandbox.request(sh(`rm "$0"; ln -s "$1" "$0"; echo done >&2`));
    const args = [...request.args, join(output, 'p.stdout'), join(own, 'secret')];
    expect(await sandbox.result({ ...request, args })).toMatchObject({ stdout: '', stderr: 'done\n' });
    symlinkSync(join(own, 'secret'), join(output, 'q.stdout'));
    expect((await sandbox.result({ id: 'q', path: 'true' })).stdout).toBe('');
  });
});
