import { ensureDebianPackages } from '@seaplane/dev-toolchain/debian-packages.ts';
import { stderrProgress } from '@seaplane/dev-toolchain/progress.ts';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { buildBrowser } from '../build-browser.ts';

export interface Watched extends AsyncDisposable {
  readonly page: Page;
  /** The complaints of the browser: messages in the console, among them violations of the policy, and errors. */
  readonly complaints: string[];
}

/** Ends a wait that is in vain. A busy machine must not fail a test. */
const PATIENCE_MS = 100_000;

/** Debian's Chromium, with the application of these sources built for it. */
export class TestBrowser implements AsyncDisposable {
  readonly #browser: Browser;

  private constructor(browser: Browser) {
    this.#browser = browser;
  }

  static async start(): Promise<TestBrowser> {
    const progress = stderrProgress('browser');
    await ensureDebianPackages(['chromium'], progress);
    await buildBrowser(progress);
    return new TestBrowser(await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] }));
  }

  /** A page that nobody is signed in to. */
  async openPage(options: BrowserContextOptions = {}): Promise<Watched> {
    const context = await this.#browser.newContext(options);
    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(`${message.type()}: ${message.text()}`));
    page.on('pageerror', (error) => complaints.push(error.message));
    return { page, complaints, [Symbol.asyncDispose]: () => context.close() };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.close();
  }
}

/** Signs in as `RunningWeb`'s user, and goes to an address. */
export async function signIn(page: Page, url: string, path: string): Promise<void> {
  await page.goto(`${url}/sky/login?redirect_uri=${encodeURIComponent(path)}`);
  await page.fill('#login', 'test');
  await page.fill('#password', 'test');
  await page.click('#submit-login');
  // A page that is left before the answer has come is not signed in.
  await page.waitForURL(({ pathname }) => pathname !== '/sky/login', { waitUntil: 'commit' });
}
