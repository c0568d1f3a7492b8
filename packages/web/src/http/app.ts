import type { Api } from '@seaplane/api';
import { Hono } from 'hono';
import type { HealthReport } from './health.ts';
import { makeHealthPage } from './health-page.ts';
import { securityHeaders } from './security-headers.ts';

export interface AppDependencies {
  readonly checkHealth: () => Promise<HealthReport>;
  /** The id of this installation, shown on the page. */
  readonly instanceId: string;
  readonly onError: (error: unknown, path: string) => void;
  /** Answers every request below `/api/v1` and `/sky`, also those for unknown paths. */
  readonly api: Api;
}

export function createApp({ checkHealth, instanceId, onError, api }: AppDependencies): Hono {
  const app = new Hono();
  const page = makeHealthPage();

  app.use(securityHeaders());

  app.get('/health', async (c) => {
    const report = await checkHealth();
    return c.json(report, statusFor(report));
  });

  app.get('/', async (c) => {
    const report = await checkHealth();
    c.header('Content-Security-Policy', page.contentSecurityPolicy);
    return c.html(page.render(report, instanceId), statusFor(report));
  });

  app.route('/', api);
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
