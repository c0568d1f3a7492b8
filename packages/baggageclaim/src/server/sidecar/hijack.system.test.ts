import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { whyNoRoot } from '@seaplane/dev-toolchain/testing/requirements.ts';
import { test as anyTest, beforeAll, describe, expect } from 'vitest';
import { WebSocket } from 'ws';
import type { HijackOutput, HijackRequest, HijackStream } from '../../protocol/hijack.ts';
import { supervisorProgram } from '../../testing/programs.ts';
import { never, TestSandbox } from '../../testing/sandboxes.ts';
import { type ServerProgram, type ServerRuntime, serverPrograms } from '../../testing/server-programs.ts';

const test = anyTest.skipIf(whyNoRoot());

let programs: Record<ServerRuntime, ServerProgram>;
let supervisor = '';
beforeAll(async () => {
  supervisor = supervisorProgram();
  programs = serverPrograms();
});

const shell: HijackRequest = { path: 'sh', args: [], env: [], dir: '/', user: '', tty: null };

function type(stream: HijackStream, text: string): void {
  void stream.send({ stdin: Buffer.from(text).toString('base64') });
}

async function readAll(stream: HijackStream) {
  const text = { stdout: '', stderr: '' };
  const rest: HijackOutput[] = [];
  for await (const message of stream.messages) {
    if ('stdout' in message) text.stdout += Buffer.from(message.stdout, 'base64').toString();
    else if ('stderr' in message) text.stderr += Buffer.from(message.stderr, 'base64').toString();
    else rest.push(message);
  }
  return { ...text, rest };
}

async function readUntil(stream: HijackStream, wanted: string): Promise<string> {
  let text = '';
  for await (const message of {
    [Symbol.asyncIterator]: () => ({ next: () => stream.messages[Symbol.asyncIterator]().next() }),
  }) {
    if ('stdout' in message) text += Buffer.from(message.stdout, 'base64').toString();
    if (text.includes(wanted)) return text;
  }
  throw new Error(`it ended with ${text}`);
}

describe.each(['bun', 'node'] as const)('on %s', (runtime) => {
  const start = () => TestSandbox.start('task-1', programs[runtime], supervisor);
  const ready = async (sandbox: TestSandbox) => sandbox.result({ path: 'true', env: { PARAM: 'of the step' } });

  test("[BC16] a shell on pipes, in the step's environment", async () => {
    await using sandbox = await start();
    await ready(sandbox);
    await using stream = await sandbox.client.hijack(
      { ...shell, env: ['TERM=xterm'], dir: '/usr', user: '12' },
      never(),
    );
    type(stream, 'echo "$PARAM|$TERM|$(pwd)|$(id -u)"; echo oops >&2; exit 5\n');
    expect(await readAll(stream)).toEqual({
      stdout: 'of the step|xterm|/usr|12\n',
      stderr: 'oops\n',
      rest: [{ exit_status: 5 }],
    });
  });

  test('[BC16] the end of input ends a shell', async () => {
    await using sandbox = await start();
    await ready(sandbox);
    await using stream = await sandbox.client.hijack({ ...shell, path: 'cat' }, never());
    type(stream, 'all of it');
    void stream.send({ closed: true });
    expect(await readAll(stream)).toMatchObject({ stdout: 'all of it', rest: [{ exit_status: 0 }] });
  });

  test('[BC16] a terminal, and its size', async () => {
    await using sandbox = await start();
    await ready(sandbox);
    await using stream = await sandbox.client.hijack({ ...shell, tty: { columns: 80, rows: 24 } }, never());
    type(stream, 'stty size\n');
    await readUntil(stream, '24 80\r\n');
    void stream.send({ tty: { window_size: { columns: 132, rows: 43 } } });
    type(stream, 'stty size\n');
    await readUntil(stream, '43 132\r\n');
    type(stream, 'kill -9 $$\n');
    expect((await readAll(stream)).rest).toEqual([{ exit_status: 137 }]);
  });

  test('[BC16] a terminal of unknown size is still a terminal', async () => {
    await using sandbox = await start();
    await ready(sandbox);
    await using stream = await sandbox.client.hijack({ ...shell, tty: { columns: 0, rows: 0 } }, never());
    type(stream, 'stty size; exit\n');
    expect((await readAll(stream)).stdout).toContain('24 80\r\n');
  });

  test('[BC16] a command that does not exist', async () => {
    await using sandbox = await start();
    await ready(sandbox);
    await using missing = await sandbox.client.hijack({ ...shell, path: 'bash-5000' }, never());
    expect((await readAll(missing)).rest).toEqual([
      { executable_not_found: true },
      { error: 'exec: "bash-5000": executable file not found in $PATH' },
    ]);
    await using stranger = await sandbox.client.hijack({ ...shell, user: 'nobody-here' }, never());
    expect((await readAll(stranger)).rest).toEqual([{ error: expect.stringContaining('no user "nobody-here"') }]);
  });

  test("[BC16] an error says that the step's container is not running", async () => {
    await using sandbox = await TestSandbox.startWithoutSupervisor('task-1', programs[runtime], supervisor);
    await using stream = await sandbox.client.hijack(shell, never());
    expect((await readAll(stream)).rest).toEqual([{ error: "the step's container is not running" }]);
  });

  test('[BC16] much output that is read slowly arrives whole', async () => {
    await using sandbox = await start();
    await ready(sandbox);
    const args = ['-c', 'head -c 20000000 /dev/zero'];
    await using stream = await sandbox.client.hijack({ ...shell, args }, never());
    await sleep(300);
    const { stdout, rest } = await readAll(stream);
    expect({ length: stdout.length, rest }).toEqual({ length: 20_000_000, rest: [{ exit_status: 0 }] });
  });

  test('[BC33] input waits outside of the server until the process reads it, and then arrives whole', async () => {
    await using sandbox = await start();
    await ready(sandbox);
    const args = ['-c', `while [ ! -e ${sandbox.path('go')} ]; do sleep 0.01; done; wc -c`];
    await using stream = await sandbox.client.hijack({ ...shell, args }, never());
    await using other = await sandbox.client.hijack(shell, never());
    const stdin = Buffer.alloc(64 * 1024).toString('base64');
    let sent = 0;
    const sending = (async () => {
      for (; sent < 300; sent++) await stream.send({ stdin });
      await stream.send({ closed: true });
    })();
    let before = -1;
    for (let still = 0; still < 5; ) {
      type(other, 'echo $((20 + 22))\n');
      await readUntil(other, '42\n');
      still = sent === before ? still + 1 : 0;
      before = sent;
    }
    expect(sent).toBeLessThan(50); // 3 MB, in the window and in the pipes
    type(other, `touch ${sandbox.path('go')}\n`);
    expect((await readAll(stream)).stdout.trim()).toBe(String(300 * 64 * 1024));
    await sending;
  });

  test('[BC16] a client that leaves ends the process', async () => {
    await using sandbox = await start();
    await ready(sandbox);
    const stream = await sandbox.client.hijack({ ...shell, args: ['-c', 'echo $$.; sleep 1000'] }, never());
    const pid = (await readUntil(stream, '.')).split('.')[0];
    await stream[Symbol.asyncDispose]();
    while (existsSync(`/proc/${pid}`)) await sleep(5);
  });

  test('[BC16] a malformed message closes the WebSocket', async () => {
    await using sandbox = await start();
    const token = sandbox.signer.sign({ aud: 'task-1', exp: Date.now() / 1000 + 60, scope: ['hijack'] });
    const socket = new WebSocket(`${sandbox.url.replace('https', 'wss')}/hijack`, {
      rejectUnauthorized: false,
      headers: { Authorization: `Bearer ${token}` },
    });
    await once(socket, 'open');
    socket.send('not json');
    const [code, reason] = await once(socket, 'close');
    expect([code, String(reason)]).toEqual([1003, 'malformed process spec']);
  });
});
