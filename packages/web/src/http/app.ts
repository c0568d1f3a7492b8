import type { Api, FlyFile } from '@seaplane/api';
import { Hono } from 'hono';
import { browserApp } from './browser-app.ts';
import type { BrowserFiles } from './browser-files.ts';
import { renderDownloadPage } from './download-page.ts';
import type { HealthReport } from './health.ts';
import { renderHealthPage } from './health-page.ts';
import { PLAIN_PAGE_POLICY } from './plain-page.ts';
import { securityHeaders } from './security-headers.ts';

export interface AppDependencies {
  readonly checkHealth: () => Promise<HealthReport>;
  /** The id of this installation, shown on the page. */
  readonly instanceId: string;
  readonly onError: (error: unknown, path: string) => void;
  /** Answers every request below `/api/v1` and `/sky`, also those for unknown paths. */
  readonly api: Api;
  /** The built browser application. Without it `/` shows the health page. */
  readonly browser?: BrowserFiles | undefined;
  readonly fly: {
    /** The fly programs to offer. */
    readonly list: () => Promise<readonly FlyFile[]>;
    /** The version of Concourse whose fly is wanted. */
    readonly version: string;
    /** The address that fly logs in to. */
    readonly url: string;
  };
  /** The header of this name on every response. Absent: it is not sent. */
  readonly strictTransportSecurity?: string | undefined;
  /** The servers whose pictures pages may show. */
  readonly imageOrigins?: readonly string[];
}

export function createApp(dependencies: AppDependencies): Hono {
  const { checkHealth, instanceId, onError, api, browser, fly, strictTransportSecurity, imageOrigins } = dependencies;
  const app = new Hono();

  app.use(securityHeaders(strictTransportSecurity));

  app.get('/health', async (c) => {
    const report = await checkHealth();
    return c.json(report, statusFor(report));
  });

  for (const path of browser ? ['/health-page'] : ['/health-page', '/']) {
    app.get(path, async (c) => {
      const report = await checkHealth();
      c.header('Content-Security-Policy', PLAIN_PAGE_POLICY);
      return c.html(await renderHealthPage(report, instanceId, browser !== undefined), statusFor(report));
    });
  }

  app.get('/download-fly', async (c) => {
    c.header('Content-Security-Policy', PLAIN_PAGE_POLICY);
    return c.html(await renderDownloadPage(await fly.list(), fly));
  });

  app.get('/robots.txt', (c) => c.text('User-agent: *\nDisallow: /\n'));

  app.route('/', api);
  if (browser) app.route('/', browserApp(browser, api, imageOrigins));
  app.notFound((c) => c.text('Not found\n', 404));

  app.onError((error, c) => {
    onError(error, c.req.path);
    return c.text('The server failed to answer; its log says why.\n', 500);
  });
  return app;
}

function statusFor(report: HealthReport): 200 | 503 {
  return report.status === 'ok' ? 200 : 503;
}
