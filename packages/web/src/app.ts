import { type Context, Hono } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { HealthReport } from './health.ts';
import { makeHealthPage } from './health-page.ts';
import { securityHeaders } from './security-headers.ts';

export interface AppDependencies {
  readonly checkHealth: () => Promise<HealthReport>;
  /** The installation's id, shown to people. */
  readonly instanceId: string;
  readonly onError: (error: unknown, path: string) => void;
  /** Answers below `/api/v1` and `/sky`. */
  readonly api: Hono;
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
  app.all('/api/v1/*', (c) => apiError(c, 404, 'Not Found', `There is no ${c.req.method} ${c.req.path}.`));
  app.notFound((c) => c.text('Not found\n', 404));

  app.onError((error, c) => {
    onError(error, c.req.path);
    const isApi = c.req.path.startsWith('/api/v1/');
    const detail = 'The server failed to answer; its log says why.';
    return isApi ? apiError(c, 500, 'Internal Server Error', detail) : c.text(`${detail}\n`, 500);
  });
  return app;
}

function statusFor(report: HealthReport): 200 | 503 {
  return report.status === 'ok' ? 200 : 503;
}

/** Errors of the API in the form that `fly` prints. */
function apiError(c: Context, status: ContentfulStatusCode, title: string, detail: string): Response {
  return c.json({ errors: [{ title, detail, status: String(status) }] }, status);
}
