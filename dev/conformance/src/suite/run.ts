import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { type GinkgoReport, parseGinkgoReport } from '../report/ginkgo-report.ts';
import type { Suite } from './build.ts';
import { writeGoShim } from './go-shim.ts';
import { type EndedSpec, progressReader } from './progress-lines.ts';
import { ginkgoFocus, type Spec } from './spec.ts';
import { StallGuard } from './stall-guard.ts';

/** Upstream's own limit for the whole suite. */
const TIMEOUT = '2h';
/** The order of the specs is shuffled; with the same seed two runs can be compared. */
const SEED = '1';
/**
 * Specs of this version have no time limit, and some wait for a build without one; later versions give each six minutes.
 * So a run in which no spec ends for longer than that hangs.
 */
const STALL_MINUTES = 7;
/** Ginkgo, interrupted, ends within its own grace period of half a minute; one that does not is killed. */
const INTERRUPT_MS = 5 * 60_000;

export interface SuiteRun {
  readonly suite: Suite;
  readonly fly: string;
  /** Which specs to run, out of the suite's. */
  readonly specs: readonly Spec[];
  readonly url: string;
  readonly procs: number;
  /** Variables that the host adds to the suite's environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Everything the suite prints is kept there, and Ginkgo's own report beside it. */
  readonly logFile: string;
  readonly signal: AbortSignal;
  readonly onEnd: (ended: EndedSpec) => void;
}

export interface SuiteEnd {
  readonly report: GinkgoReport;
  /** Why specs in it were interrupted; undefined when none was. */
  readonly interruption?: string;
}

/**
 * Runs the suite against a server and returns its report. A suite that hangs is interrupted, and the specs that hung have failed.
 * Rejects when it ended without a report, or was aborted.
 */
export async function runSuite(options: SuiteRun): Promise<SuiteEnd> {
  const scratch = await mkdtemp(join(tmpdir(), 'seaplane-suite-'));
  try {
    const env = await suiteEnvironment(options, scratch);
    const args = ginkgoArguments(options, scratch);
    const stalled = await runLogged(options, args, env);
    const report = await readReport(join(scratch, 'report.json'), options.logFile);
    await writeFile(`${options.logFile}.report.json`, report);
    const interruption = `interrupted, because no spec had ended for ${STALL_MINUTES} minutes`;
    return { report: parseGinkgoReport(report), ...(stalled && { interruption }) };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

function ginkgoArguments({ suite, specs, procs }: SuiteRun, scratch: string): string[] {
  const args = ['run', '-v', '--no-color', `--procs=${Math.min(procs, specs.length)}`];
  args.push(`--timeout=${TIMEOUT}`, `--seed=${SEED}`, '--output-dir', scratch, '--json-report=report.json');
  if (specs.length < suite.specs.length) args.push(`--focus=${ginkgoFocus(suite.description, specs)}`);
  return [...args, suite.program];
}

/** `fly` keeps its targets in HOME, and the specs their files in TMPDIR: both are this run's own. */
async function suiteEnvironment(options: SuiteRun, scratch: string): Promise<NodeJS.ProcessEnv> {
  const shims = join(scratch, 'bin');
  await writeGoShim(shims, options.fly);
  for (const name of ['home', 'tmp']) await mkdir(join(scratch, name));
  const inherited = Object.entries(process.env).filter(([name]) => !/^(ATC_|FLY_|GINKGO_|DOWNLOAD_CLI$)/.test(name));
  return {
    ...Object.fromEntries(inherited),
    GOPATH: process.env['GOPATH'] ?? join(homedir(), 'go'),
    GOCACHE: process.env['GOCACHE'] ?? join(homedir(), '.cache', 'go-build'),
    HOME: join(scratch, 'home'),
    TMPDIR: join(scratch, 'tmp'),
    PATH: [shims, process.env['PATH']].join(delimiter),
    ATC_URL: options.url,
    no_proxy: new URL(options.url).hostname,
    ...options.env,
  };
}

/** Returns whether the suite hung and was interrupted. */
async function runLogged(options: SuiteRun, args: readonly string[], env: NodeJS.ProcessEnv): Promise<boolean> {
  const { suite, logFile, signal } = options;
  const log = createWriteStream(logFile);
  // A process group of its own: Ginkgo, its processes and every fly are signalled together, and only by us.
  const child = spawn(suite.ginkgo, args, { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const signalAll = (name: NodeJS.Signals) => {
    if (!child.pid || child.exitCode !== null || child.signalCode !== null) return;
    try {
      process.kill(-child.pid, name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // it ended just now
    }
  };
  const endAll = () => signalAll('SIGKILL');
  signal.addEventListener('abort', endAll, { once: true });
  let stalled = false;
  let giveUp: NodeJS.Timeout | undefined;
  using guard = new StallGuard(STALL_MINUTES * 60_000, () => {
    stalled = true;
    signalAll('SIGINT'); // each fly ends, and Ginkgo still writes its report
    giveUp = setTimeout(endAll, INTERRUPT_MS);
  });
  try {
    const read = progressReader(options.specs, (ended) => {
      guard.beat();
      options.onEnd(ended);
    });
    createInterface({ input: child.stdout }).on('line', read);
    for (const output of [child.stdout, child.stderr]) output.pipe(log, { end: false });
    await once(child, 'close'); // rejects when it could not be started
    signal.throwIfAborted();
    return stalled;
  } finally {
    signal.removeEventListener('abort', endAll);
    clearTimeout(giveUp);
    log.end();
    await once(log, 'close');
  }
}

async function readReport(path: string, logFile: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new Error(`the suite ended without a report; what it printed is in ${logFile}`, { cause });
  }
}
