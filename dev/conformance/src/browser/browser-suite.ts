import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { cacheDir } from '@seaplane/dev-toolchain/cache-dir.ts';
import { ensureDebianPackages } from '@seaplane/dev-toolchain/debian-packages.ts';
import type { Progress } from '@seaplane/dev-toolchain/progress.ts';
import { run } from '@seaplane/dev-toolchain/run.ts';
import { buildFly } from '../concourse/fly.ts';
import type { Host } from '../hosts/host.ts';
import { buildBrowserSuite, copyBrowserSuite } from './build-browser-suite.ts';
import { type EndedTest, readTapLine } from './tap.ts';

const BUILD_APPLICATION = join(import.meta.dirname, '../../../browser/src/main.ts');

/** Processes of a namespace end with its first one: no browser and no fly is left, however the tests end. */
const NAMESPACE = [
  ...(process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']),
  ...['--pid', '--fork', '--kill-child', '--mount-proc'],
];

interface BrowserRun {
  readonly host: Host;
  readonly signal: AbortSignal;
  readonly progress: Progress;
}

/** Runs Concourse's own browser tests, unmodified, in Debian's Chromium against a host. Returns the tests that ended. */
export async function browserSuite({ host, signal, progress }: BrowserRun): Promise<readonly EndedTest[]> {
  await ensureDebianPackages(['chromium'], progress);
  const suite = await buildBrowserSuite(progress);
  const fly = await buildFly(progress);
  await run(process.execPath, [BUILD_APPLICATION]);
  const directory = join(cacheDir(), 'conformance', `${host.name}-browser`);
  await copyBrowserSuite(suite, directory);
  const running = await host.start(progress);
  try {
    if (running.cannotRun) throw new Error(running.cannotRun);
    const env = {
      ...process.env,
      ATC_URL: running.url,
      PATH: [dirname(fly.program), process.env['PATH']].join(delimiter),
      PUPPETEER_EXECUTABLE_PATH: '/usr/bin/chromium',
    };
    return await runAva(directory, env, signal, progress);
  } finally {
    await running.stop();
  }
}

async function runAva(
  directory: string,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
  progress: Progress,
): Promise<readonly EndedTest[]> {
  const ava = join(directory, 'node_modules', 'ava', 'entrypoints', 'cli.mjs');
  const logFile = join(directory, 'output.log');
  const log = createWriteStream(logFile);
  progress(`running the browser tests; their output goes to ${logFile}`);
  const child = spawn('unshare', [...NAMESPACE, '--', process.execPath, ava, '--serial', '--tap'], {
    cwd: directory,
    env,
    signal,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended: EndedTest[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    const test = readTapLine(line);
    if (!test) return;
    ended.push(test);
    progress(`${test.passed ? 'passed' : 'FAILED'}: ${test.name}`);
  });
  for (const output of [child.stdout, child.stderr]) output.pipe(log, { end: false });
  try {
    await once(child, 'close');
  } finally {
    log.end();
  }
  if (ended.length === 0) throw new Error(`the browser tests ended without a result; see ${logFile}`);
  return ended;
}
