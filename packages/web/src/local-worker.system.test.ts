import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type TemporaryDirectory, temporaryDirectory } from '@seaplane/db/testing';
import { killAgent, whyNoLocalHost } from '@seaplane/local/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ApiUser } from './testing/api-user.ts';
import { freePort, RunningWeb } from './testing/running-web.ts';

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));
const soon = () => AbortSignal.timeout(100_000);

/** The program to its end, or until `until` has appeared in its output; then it gets SIGINT. */
async function run(args: readonly string[], until?: string) {
  const { DATABASE_URL: _url, ...env } = process.env;
  const child = spawn(process.execPath, [MAIN, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const text = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (chunk: string) => {
      text[stream] += chunk;
      if (until && text[stream].includes(until)) child.kill('SIGINT');
    });
  }
  const [code] = (await once(child, 'close')) as [number];
  return { ...text, code };
}

const COUNT = `
jobs:
- name: count
  plan:
  - task: count
    config:
      platform: linux
      run:
        path: sh
        args:
        - -c
        - |
          echo started >> $GO/starts
          for round in 1 2 3; do
            for i in $(seq 50); do echo "line $round $i"; done
            until [ -e $GO/go-$round ]; do sleep 0.02; done
          done
      outputs: [{ name: out }]
      params: { GO: /tmp/build }
`;

describe.skipIf(whyNoLocalHost())('web with the local worker', () => {
  let temporary: TemporaryDirectory;
  let dataDir: string;

  beforeAll(async () => {
    temporary = await temporaryDirectory();
    dataDir = join(temporary.path, 'data');
  });

  afterAll(async () => {
    await run(['--data-dir', dataDir, '--reset']);
    await temporary[Symbol.asyncDispose]();
  });

  test('[WELCOME1] [WELCOME2] the first start runs the example and says what to do, the second only starts', async () => {
    const flags = ['--port', '0', '--data-dir', dataDir];
    const first = await run(flags, '--reset deletes everything');
    expect(first).toMatchObject({ code: 0 });
    expect(first.stdout).toContain('Hello from the first step!');
    expect(first.stdout).toContain('The build succeeded.');
    const password = await readFile(join(dataDir, 'admin-password'), 'utf8');
    expect(first.stdout + first.stderr).not.toContain(password);
    expect(first.stdout).toContain(`the password is in ${join(dataDir, 'admin-password')}`);
    const second = await run(flags, '"log in with: ');
    expect(second).toMatchObject({ code: 0, stdout: '' });
  });

  test('[WELCOME3] kill -9 of web and agent loses and doubles no line, and starts nothing twice', async () => {
    const [port, targetsFile] = [await freePort(), join(temporary.path, 'targets.json')];
    await writeFile(targetsFile, JSON.stringify([{ kind: 'local', name: 'here', directory: join(dataDir, 'local') }]));
    const options = { port, dataDir, targetsFile };
    const web = await RunningWeb.start(options);
    const user = await ApiUser.login(web.url);
    await user.setPipeline('count', COUNT);
    const build = await user.trigger('count', 'count');
    await user.log(build, soon(), (log) => log.includes('line 1 50'));
    const build1 = await buildDirectory();
    await web.kill('SIGKILL');
    await writeFile(join(build1, 'go-1'), '');

    const second = await RunningWeb.start(options);
    const again = await ApiUser.login(second.url);
    await again.log(build, soon(), (log) => log.includes('line 2 50'));
    killAgent(join(dataDir, 'local'));
    await second.kill('SIGKILL');
    await writeFile(join(build1, 'go-2'), '');

    await using third = await RunningWeb.start(options);
    const last = await ApiUser.login(third.url);
    await last.log(build, soon(), (log) => log.includes('line 3 50'));
    expect(await readFile(join(build1, 'starts'), 'utf8')).toBe('started\n');
    await writeFile(join(build1, 'go-3'), '');
    const lines = [1, 2, 3].flatMap((round) => Array.from({ length: 50 }, (_, i) => `line ${round} ${i + 1}\r\n`));
    expect(await last.log(build, soon())).toBe(lines.join(''));
    expect(await last.status(build)).toBe('succeeded');
  });

  /** The build directory of the only sandbox. */
  async function buildDirectory(): Promise<string> {
    const sandboxes = join(dataDir, 'local/sandboxes');
    const [hash = ''] = await readdir(sandboxes);
    return join(sandboxes, hash, 'build');
  }

  test('[WEB20] --reset refuses while web runs, then leaves nothing', async () => {
    const targetsFile = join(temporary.path, 'targets.json');
    {
      await using _web = await RunningWeb.start({ port: await freePort(), dataDir, targetsFile });
      const refused = await run(['--data-dir', dataDir, '--reset']);
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('is in use') });
    }
    expect(await run(['--data-dir', dataDir, '--reset'])).toMatchObject({ code: 0, stderr: '' });
    expect(await readdir(dataDir)).toEqual([]);
  });

  test('[WEB21] a machine that cannot run steps is named in one line', async () => {
    const file = join(temporary.path, 'foreign');
    const flags = ['--port', '0', '--data-dir', file];
    expect(await run(flags, 'deletes everything')).toMatchObject({ code: 0 });
    await writeFile(join(file, 'local/installation'), 'another');
    const failed = await run(flags);
    expect(failed.code).toBe(1);
    expect(JSON.parse(failed.stderr.trim().split('\n').at(-1) ?? '')).toMatchObject({
      level: 'fatal',
      msg: expect.stringMatching(/^Steps cannot run on this machine: .* belongs to another database/),
    });
    await run(['--data-dir', file, '--reset']);
    await expect(stat(join(file, 'local'))).rejects.toThrow('ENOENT');
  });
});
