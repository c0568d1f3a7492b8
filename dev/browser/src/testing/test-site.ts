import { ApiUser } from '@seaplane/web/testing';
import type { BrowserContextOptions } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { signIn, TestBrowser, type Watched } from './test-browser.ts';

/** A web with its address. */
interface Served extends AsyncDisposable {
  readonly url: string;
}

/** A web, a browser and a user of the API, for all tests of a file. */
export interface TestSite<W extends Served> {
  readonly web: W;
  readonly url: string;
  readonly browser: TestBrowser;
  readonly fly: ApiUser;
  /** A page of its own, at an address, that the user is signed in to. */
  open(path: string, options?: BrowserContextOptions): Promise<Watched>;
}

/** Starts a web and a browser before the tests around this call, and ends both after them. */
export function useTestSite<W extends Served>(
  start: () => Promise<W>,
  prepare: (site: TestSite<W>) => Promise<void>,
): TestSite<W> {
  const parts: { web?: W; browser?: TestBrowser; fly?: ApiUser } = {};
  const site: TestSite<W> = {
    get web() {
      return present(parts.web);
    },
    get url() {
      return present(parts.web).url;
    },
    get browser() {
      return present(parts.browser);
    },
    get fly() {
      return present(parts.fly);
    },
    async open(path, options) {
      const watched = await site.browser.openPage(options);
      await signIn(watched.page, site.url, path);
      return watched;
    },
  };
  beforeAll(async () => {
    parts.browser = await TestBrowser.start();
    parts.web = await start();
    parts.fly = await ApiUser.login(parts.web.url);
    await prepare(site);
  });
  afterAll(async () => {
    await parts.browser?.[Symbol.asyncDispose]();
    await parts.web?.[Symbol.asyncDispose]();
  });
  return site;
}

function present<T>(part: T | undefined): T {
  if (part === undefined) throw new Error('the web and the browser are there only while tests run');
  return part;
}
