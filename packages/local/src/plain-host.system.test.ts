import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describeSandboxHost } from '@seaplane/orchestrator/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AgentProcess } from './agent-process.ts';
import { placesIn } from './places.ts';
import { resetLocal } from './reset-local.ts';
import { type DialledHost, openDialledHost } from './testing/dialled-host.ts';
import { finish, sandbox, shellRequest, specOf, untilPhase } from './testing/sandboxes.ts';
import { killAgent, testServices } from './testing/test-host.ts';

const PLAIN = { platform: 'linux', plainProcesses: true };
const soon = () => AbortSignal.timeout(60_000);
const whyNot = process.platform === 'linux' ? undefined : 'the programs of the tests are those of Linux';

describe.skipIf(whyNot)('plain processes', () => {
  // Every rule of a host holds. Isolation is not one of these: the tests of LOCAL7, LOCAL9 to LOCAL12 and LOCAL32 are about it.
  describeSandboxHost('the host of plain processes', async () => {
    const opened = await openDialledHost(PLAIN);
    return { host: opened.host, image: 'host', [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() };
  });

  let opened: DialledHost;
  beforeAll(async () => {
    opened = await openDialledHost(PLAIN);
  });
  afterAll(() => opened[Symbol.asyncDispose]());

  test('[LOCAL46] a step works below its own directory, as the user of the worker', async () => {
    const client = await sandbox(opened.host, specOf('plain-where'));
    const [dir, out] = ['/tmp/build/work', '/tmp/build/work/out'];
    const request = shellRequest('where', 'pwd; id -un; echo made > out/file', { dir, directories: [out] });
    await client.run(request, soon());
    const { stdout, end } = await finish(client, request);
    expect(end).toEqual({ kind: 'exited', status: 0 });
    expect(stdout).toBe(`${await onlyBuild('plain-where')}/work\n${userInfo().username}\n`);
    const file = await client.readFile(out, 'file', 100, soon());
    expect(Buffer.from(file ?? []).toString()).toBe('made\n');
  });

  test('[LOCAL13] a plain process has no variable of the agent but those of its user', async () => {
    const client = await sandbox(opened.host, specOf('plain-env'));
    const request = shellRequest('env', 'env');
    await client.run(request, soon());
    const { stdout } = await finish(client, request);
    expect(stdout).not.toContain('SEAPLANE');
    expect(stdout).toContain(`HOME=${userInfo().homedir}\n`);
    expect(stdout).toContain(`PATH=${process.env['PATH']}\n`);
  });

  test.each([
    ['an image of a registry', { image: { reference: 'busybox', fromPipeline: true } }, "can't have an image here"],
    ['an artifact as image', { image: { reference: 'artifact:x' } }, 'for the platform linux'],
    ['no network', { hermetic: true }, "can't keep the network from a hermetic step"],
    ['a directory outside', { mounts: ['/cache'] }, "can't give a step a directory at /cache"],
  ] as const)('[LOCAL47] a step that asks for %s is refused in words', async (_, change, words) => {
    await expect(opened.host.create(specOf('plain-refused', change), soon())).rejects.toThrow(words);
    expect(await opened.host.list(soon())).not.toContain('plain-refused');
  });

  test('[LOCAL47] a step with limits, or a privileged one, runs without them, and the log says so', async () => {
    const heard: string[] = [];
    const stop = new AbortController();
    const listening = (async () => {
      for await (const event of opened.host.watch(stop.signal)) if (event.kind === 'notice') heard.push(event.text);
    })();
    await sandbox(opened.host, specOf('plain-limits', { limits: { cpu: 2, memory: 1e9 }, privileged: true }));
    await expect.poll(() => heard.length, { timeout: 60_000 }).toBe(3);
    stop.abort();
    await listening;
    expect(heard.map((line) => line.split(': ').at(-1))).toEqual([
      'the step has no cpu limit',
      'the step has no memory limit',
      'a privileged step has no other rights than any step',
    ]);
  });

  test('[LOCAL47] a step of another user is not started', async () => {
    const client = await sandbox(opened.host, specOf('plain-user'));
    const request = shellRequest('user', 'true', { user: 'somebody' });
    await client.run(request, soon());
    expect((await finish(client, request)).end).toMatchObject({ kind: 'not-started', cause: 'user' });
  });

  test('[LOCAL1] kill -9 of the agent of plain processes loses and doubles no line, and starts nothing twice', async () => {
    const client = await sandbox(opened.host, specOf('plain-restart'));
    const script = 'echo x >> starts; for i in $(seq 300); do echo line $i; sleep 0.01; done; exit 7';
    const request = shellRequest('count', script, { dir: '/tmp/build' });
    await client.run(request, soon());
    for await (const item of client.output({ id: 'count', attempt: 'count-1' }, { stdout: 0, stderr: 0 }, soon())) {
      if (item.kind === 'stdout') break;
    }
    killAgent(opened.directory);
    await untilPhase(opened.host, 'plain-restart', 'ready');
    const next = await opened.host.connect('plain-restart');
    await next.run(request, soon());
    const { stdout, end } = await finish(next, request);
    expect(stdout).toBe(Array.from({ length: 300 }, (_, i) => `line ${i + 1}\n`).join(''));
    expect(end).toEqual({ kind: 'exited', status: 7 });
    expect(await readFile(join(await onlyBuild('plain-restart'), 'starts'), 'utf8')).toBe('x\n');
  });

  test('[LOCAL15] a destroyed sandbox of plain processes leaves no process and no file', async () => {
    const client = await sandbox(opened.host, specOf('plain-doomed'));
    const request = shellRequest('stray', '(setsid sleep 600 & echo $!) ; sleep 600', { dir: '/tmp/build' });
    await client.run(request, soon());
    const build = await onlyBuild('plain-doomed');
    let stray = 0;
    for await (const item of client.output({ id: 'stray', attempt: 'stray-1' }, { stdout: 0, stderr: 0 }, soon())) {
      stray = item.kind === 'stdout' ? Number(Buffer.from(item.bytes).toString()) : 0;
      break;
    }
    expect(stray).toBeGreaterThan(1);
    await opened.host.destroy('plain-doomed');
    while (existsSync(build) || existsSync(`/proc/${stray}`)) await sleep(20);
  });

  test('[LOCAL48] a directory of plain processes does not take isolated steps', async () => {
    const { installation, publicKey, authorityKey } = await testServices();
    const directory = await mkdtemp(join(tmpdir(), 'plain-'));
    const services = { installation, publicKey, authorityKey, onTrouble: () => {} };
    const isolated = () => new AgentProcess(placesIn(directory), services, { plainProcesses: false });
    const words = 'belongs to a worker whose steps are plain processes: reset it';
    {
      using first = new AgentProcess(placesIn(directory), services, { plainProcesses: true });
      await first.info();
      using beside = isolated();
      await expect(beside.info()).rejects.toThrow(words);
    }
    using later = isolated(); // finds the agent that is about to end, or none
    await expect(later.info()).rejects.toThrow(words);
    await resetLocal(directory);
    expect(existsSync(directory)).toBe(false);
  });

  async function onlyBuild(handle: string): Promise<string> {
    for (const hash of await readdir(join(opened.directory, 'sandboxes'))) {
      const directory = join(opened.directory, 'sandboxes', hash);
      const saved = await readFile(join(directory, 'spec.json'), 'utf8');
      if (saved.includes(`"${handle}"`)) return join(directory, 'build');
    }
    throw new Error(`there is no sandbox ${handle}`);
  }
});
