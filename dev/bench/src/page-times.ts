import { setTimeout as sleep } from 'node:timers/promises';
import type { CDPSession, Page } from 'playwright-core';

export interface PageTimes {
  /** From the start of the navigation until the element was on the page. */
  readonly shownMs: number;
  /** Of all tasks of the page until it had nothing more to do. */
  readonly longestTaskMs: number;
  /** The processor time of the task that took most. Other work on the machine makes it little longer. */
  readonly longestTaskCpuMs: number;
}

const IDLE_MS = 1_000;

/**
 * Loads a page twice in a tab that is empty and rests, and watches it until an element is there and the page has rested for a while.
 * Only the second load is traced, because the tracer makes a load longer by a tenth or two.
 */
export async function measureLoad(page: Page, url: string, selector: string): Promise<PageTimes> {
  const { shownAt, longest } = await loadAnew(page, url, selector);
  const client = await page.context().newCDPSession(page);
  const tracing = await traceTasks(client);
  await loadAnew(page, url, selector);
  const longestTaskCpuMs = await tracing();
  await client.detach();
  return { shownMs: shownAt, longestTaskMs: longest, longestTaskCpuMs };
}

/**
 * From a click on a link of a page that has rested to the element, in milliseconds: the application is there and shows another
 * address. The link is made one to `hash`.
 */
export async function measureClick(
  page: Page,
  url: string,
  { link, hash, selector }: { readonly link: string; readonly hash: string; readonly selector: string },
): Promise<number> {
  await loadAnew(page, url, link);
  await page
    .locator(link)
    .first()
    .evaluate((anchor, to) => anchor.setAttribute('href', anchor.getAttribute('href') + to), hash);
  await page.evaluate(`
    const start = () => {
      watch.clickedAt = performance.now();
      ${untilShown(selector)}
    };
    watch.shownAt = 0;
    document.addEventListener('click', start, { capture: true, once: true });`);
  await page.locator(link).first().click();
  const { shownAt, clickedAt } = await untilRested(page);
  return shownAt - clickedAt;
}

async function loadAnew(page: Page, url: string, selector: string): Promise<Watch> {
  await page.goto('about:blank');
  await sleep(IDLE_MS); // the browser ends the page before, which takes a processor
  const script = await page.addInitScript(watching(selector));
  await page.goto(url);
  const watch = await untilRested(page);
  await script.dispose();
  return watch;
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds of the clock. */
  readonly ts: number;
  readonly dur?: number;
  /** Microseconds of the processor. */
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

/** Starts to record tasks. Returns the function that ends this, and returns the longest task of a page's main thread. */
async function traceTasks(client: CDPSession): Promise<() => Promise<number>> {
  const events: TraceEvent[] = [];
  client.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])));
  const traceConfig = { includedCategories: ['toplevel', '__metadata'] };
  await client.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig });
  return async () => {
    const complete = new Promise((resolve) => client.once('Tracing.tracingComplete', resolve));
    await client.send('Tracing.end');
    await complete;
    const mainThreads = new Set(
      events.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain').map(threadOf),
    );
    const threads = [...mainThreads].map((thread) => events.filter((event) => threadOf(event) === thread));
    return Math.max(...threads.map(longestTask)) / 1000;
  };
}

const PROMISES = 'BlinkScheduler_PerformMicrotaskCheckpoint';

/** The promises that a task has settled go on right after the task. Their time is part of it. */
function longestTask(events: readonly TraceEvent[]): number {
  const parts = events.filter(({ name }) => name.endsWith('RunTask') || name === PROMISES);
  let [longest, own, end] = [0, 0, 0];
  for (const { name, ts, dur = 0, tdur = 0 } of parts.toSorted((a, b) => a.ts - b.ts)) {
    if (ts < end) continue; // inside the part before
    own = name === PROMISES ? own + tdur : tdur;
    end = ts + dur;
    longest = Math.max(longest, own);
  }
  return longest;
}

function threadOf({ pid, tid }: TraceEvent): string {
  return `${pid} ${tid}`;
}

interface Watch {
  readonly clickedAt: number;
  readonly shownAt: number;
  readonly longest: number;
}

/** The policy of the page forbids to evaluate a text in it, so the page cannot wait for a condition by itself. */
async function untilRested(page: Page): Promise<Watch> {
  for (;;) {
    const rested = `watch.shownAt > 0 && performance.now() - watch.last > ${IDLE_MS} ? watch : null`;
    const watch = await page.evaluate<Watch | null>(rested);
    if (watch) return watch;
    await sleep(100);
  }
}

function watching(selector: string): string {
  return `
    window.watch = { clickedAt: 0, shownAt: 0, longest: 0, last: 0 };
    new PerformanceObserver((list) => {
      for (const { duration, startTime } of list.getEntries()) {
        watch.longest = Math.max(watch.longest, duration);
        watch.last = Math.max(watch.last, startTime + duration);
      }
    }).observe({ type: 'longtask', buffered: true });
    ${untilShown(selector)}`;
}

/** Looks in each frame whether the element is there. */
function untilShown(selector: string): string {
  return `
    const look = () => {
      if (!document.querySelector(${JSON.stringify(selector)})) return requestAnimationFrame(look);
      watch.shownAt = performance.now();
      watch.last = Math.max(watch.last, watch.shownAt);
    };
    requestAnimationFrame(look);`;
}
