import { IdleWeb } from '@seaplane/dev-browser/testing/idle-web.ts';
import { signIn, TestBrowser } from '@seaplane/dev-browser/testing/test-browser.ts';
import { ApiUser, LocalWeb } from '@seaplane/web/testing';
import type { Page } from 'playwright-core';
import type { AloneOptions } from './bench-database.ts';
import { median } from './median.ts';
import { measureClick, measureLoad, type PageTimes } from './page-times.ts';
import { table } from './table.ts';

const JOBS = 1_000;
const LINES = 100_000;
const PIPELINES = 1_000;
const PRINTED = 100;

/**
 * The browser application in a real Chromium: a large pipeline, log and dashboard beside small ones, turn by turn; how soon
 * a printed line is on the page.
 */
export async function benchBrowser({ rounds, progress, signal }: AloneOptions): Promise<string> {
  await using browser = await TestBrowser.start();
  const reports: string[] = [];
  {
    await using idle = await IdleWeb.start();
    const user = await ApiUser.login(idle.url);
    await using watched = await browser.openPage();
    const { page } = watched;
    await signIn(page, idle.url, '/');
    await page.locator('#user-id').waitFor();
    progress('the small ones are measured first: the dashboard has one pipeline');
    await user.setPipeline('small', pipelineOf(10));
    const at = (path: string, selector: string) => () => measureLoad(page, `${idle.url}${path}`, selector);
    const smallDashboard = await repeat(rounds, signal, at('/', '.card'));
    await user.setPipeline('large', pipelineOf(JOBS));
    for (const [pipeline, lines] of [
      ['small', 100],
      ['large', LINES],
    ] as const) {
      const build = await user.trigger(pipeline, 'j0');
      await user.log(build, signal);
      await idle.fillLog(build, [
        {
          name: 'print',
          exitStatus: 0,
          lines: Array.from({ length: lines }, (_, i) => `line ${i + 1} of a build that prints a lot`),
        },
      ]);
    }
    progress(`setting ${PIPELINES} pipelines ...`);
    for (let n = 0; n < PIPELINES; n++) await user.setPipeline(`p${n}`, pipelineOf(5));
    const log = (pipeline: string) => at(`/teams/main/pipelines/${pipeline}/jobs/j0/builds/1#Lp0:1`, '.log-line');
    const graph = (pipeline: string) => at(`/teams/main/pipelines/${pipeline}`, '.job-node');
    // Takes no script and no answer of the database: what the browser itself needs on this machine.
    const plain = await repeat(rounds, signal, at('/api/v1/info', 'pre'));
    const times = {
      'log, first lines': [await repeat(rounds, signal, log('small')), await repeat(rounds, signal, log('large')), 300],
      'pipeline, drawn': [
        await repeat(rounds, signal, graph('small')),
        await repeat(rounds, signal, graph('large')),
        1_000,
      ],
      'dashboard, drawn': [smallDashboard, await repeat(rounds, signal, at('/', '.card')), undefined],
    } as const;
    reports.push(report(times));
    reports.push(plainReport(plain, times['log, first lines'][1]));
    const job = `${idle.url}/teams/main/pipelines/large/jobs/j0`;
    const target = { link: 'main a[href*="/jobs/j0/builds/1"]', hash: '#Lp0:1', selector: '.log-line' };
    const click = () => measureClick(page, job, target);
    reports.push(clickReport(await repeat(rounds, signal, click)));
    reports.push(await transferReport(page, idle.url));
    reports.push(await panReport(page, `${idle.url}/teams/main/pipelines/large`));
  }
  reports.push(await lineReport(browser, signal));
  return reports.join('\n\n');
}

/** Columns of jobs. Each gets the resource, after one or two jobs of the column before; `j0` does nothing. */
function pipelineOf(jobs: number): string {
  const height = Math.max(2, Math.round(Math.sqrt(jobs / 2)));
  const planOf = (n: number) => {
    if (n === 0) return '[]';
    if (n <= height) return '[{ get: r }]';
    const before = n - height;
    const passed = before % height === 0 ? [before] : [before, before + 1];
    return `[{ get: r, passed: [${passed.map((each) => `j${each}`).join(', ')}] }]`;
  };
  const lines = Array.from({ length: jobs }, (_, n) => `- { name: j${n}, plan: ${planOf(n)} }`);
  return `resources: [{ name: r, type: mock, source: {}, check_every: never }]\njobs:\n${lines.join('\n')}\n`;
}

async function repeat<T>(rounds: number, signal: AbortSignal, measure: () => Promise<T>): Promise<T[]> {
  const times: T[] = [];
  for (let round = 0; round <= rounds; round++) {
    signal.throwIfAborted();
    const measured = await measure();
    if (round > 0) times.push(measured); // the first fills caches
  }
  return times;
}

type Pairs = Readonly<
  Record<string, readonly [small: readonly PageTimes[], large: readonly PageTimes[], goal: number | undefined]>
>;

function report(pairs: Pairs): string {
  const of = (times: readonly PageTimes[], key: keyof PageTimes) => median(times.map((each) => each[key]));
  const rows = Object.entries(pairs).map(([name, [small, large, goal]]) => {
    const [a, b] = [of(small, 'shownMs'), of(large, 'shownMs')];
    return [
      name,
      a.toFixed(0),
      b.toFixed(0),
      (b / a).toFixed(1),
      String(goal ?? ''),
      of(large, 'longestTaskMs').toFixed(0),
      of(large, 'longestTaskCpuMs').toFixed(0),
    ];
  });
  const head = ['milliseconds, medians', 'small', 'large', 'ratio', 'goal', 'longest task', 'its processor time'];
  return `${table([head, ...rows])}\nsmall: 100 lines, 10 jobs, 1 pipeline; large: ${LINES} lines, ${JOBS} jobs, ${PIPELINES} pipelines`;
}

function plainReport(plain: readonly PageTimes[], log: readonly PageTimes[]): string {
  const [floor, shown] = [plain, log].map((times) => median(times.map(({ shownMs }) => shownMs))) as [number, number];
  return `a page without a script takes ${floor.toFixed(0)} ms; the first lines of ${LINES} take ${(shown / floor).toFixed(1)} times as long`;
}

function clickReport(times: readonly number[]): string {
  return `first lines of ${LINES} after a click on a link to a line, in the page of the job: ${median(times).toFixed(0)} ms at the median (goal 300)`;
}

/** What a first visit loads, as it is sent. */
async function transferReport(page: Page, url: string): Promise<string> {
  const client = await page.context().newCDPSession(page);
  await client.send('Network.enable');
  await client.send('Network.clearBrowserCache');
  let bytes = 0;
  client.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  await page.goto(`${url}/workers`);
  await page.locator('main h1').waitFor();
  await client.detach();
  return `first load: ${(bytes / 1000).toFixed(1)} KB as sent, with headers and answers of the API (goal 110 KB)`;
}

/** Frames while the graph is moved by a few pixels in each. */
async function panReport(page: Page, url: string): Promise<string> {
  await page.goto(url);
  await page.locator('.job-node').first().waitFor();
  const frames = await page.evaluate<number[]>(`(async () => {
    const graph = document.querySelector('.graph');
    const times = [];
    let last = performance.now();
    for (let n = 0; n < 180; n++) {
      graph.scrollLeft += n < 90 ? 12 : -12;
      await new Promise(requestAnimationFrame);
      const now = performance.now();
      times.push(now - last);
      last = now;
    }
    return times;
  })()`);
  const late = frames.filter((ms) => ms > 25).length;
  return `panning ${JOBS} jobs: ${(1000 / median(frames)).toFixed(0)} frames a second at the median, ${late} of ${frames.length} frames late (goal 60)`;
}

/** From the clock of the program that prints a line to the line on the page. */
async function lineReport(browser: TestBrowser, signal: AbortSignal): Promise<string> {
  await using local = await LocalWeb.start();
  const user = await ApiUser.login(local.web.url);
  const script = `sleep 2; for i in $(seq ${PRINTED}); do echo "at $(date +%s%3N)"; sleep 0.1; done`;
  await user.setPipeline(
    'print',
    `jobs: [{ name: j, plan: [{ task: t, config: { platform: linux, run: { path: sh, args: [-c, '${script}'] } } }] }]`,
  );
  await using watched = await browser.openPage();
  const { page } = watched;
  const build = await user.trigger('print', 'j');
  await signIn(page, local.web.url, '/teams/main/pipelines/print/jobs/j/builds/1');
  await page.locator('[data-step-name="t"]').waitFor();
  await page.evaluate(`
    window.seen = new Map();
    new MutationObserver(() => {
      for (const line of document.querySelectorAll('.log-text')) {
        const text = line.textContent;
        if (text.startsWith('at ') && !seen.has(text)) seen.set(text, Date.now() - Number(text.slice(3)));
      }
    }).observe(document.body, { childList: true, subtree: true, characterData: true });
  `);
  await user.log(build, signal);
  await page.locator('.build-succeeded').waitFor();
  const delays = await page.evaluate<number[]>('[...window.seen.values()]');
  const sorted = delays.toSorted((a, b) => a - b);
  return `a printed line is on the page after ${median(delays).toFixed(0)} ms at the median, ${sorted[Math.floor(sorted.length * 0.9)]?.toFixed(0)} ms for nine of ten (${delays.length} lines; goal 150)`;
}
