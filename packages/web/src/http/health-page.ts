import { createHash } from 'node:crypto';
import { PLANE, PLANE_ICON } from '@seaplane/api';
import { html, raw } from 'hono/html';
import type { HealthReport } from './health.ts';
import { HEALTH_PAGE_CSS } from './health-page-style.ts';

export interface HealthPage {
  readonly contentSecurityPolicy: string;
  render(report: HealthReport, instanceId: string, hasBrowserApp: boolean): Promise<string>;
}

type Markup = ReturnType<typeof html>;

/** The page for people who open the server in a browser. The page has no scripts, and reloads itself. */
export function makeHealthPage(): HealthPage {
  const styleHash = createHash('sha256').update(HEALTH_PAGE_CSS).digest('base64');
  const contentSecurityPolicy = [
    "default-src 'none'",
    `style-src 'sha256-${styleHash}'`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  return {
    contentSecurityPolicy,
    render: async (report, instanceId, hasBrowserApp) => String(await page(report, instanceId, hasBrowserApp)),
  };
}

const NOT_BUILT = html`<p class="about">The browser application is not built. Run <code>npm run browser</code> and start web again.</p>
`;

function page(report: HealthReport, instanceId: string, hasBrowserApp: boolean): Markup {
  const { database } = report;
  const kind = database.kind === 'embedded' ? 'embedded' : 'from DATABASE_URL';
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="refresh" content="15">
<title>${report.status === 'ok' ? 'Seaplane' : 'Seaplane: failing'}</title>
<link rel="icon" href="${PLANE_ICON}">
<style>${raw(HEALTH_PAGE_CSS)}</style>
</head>
<body>
<main>
<header>
<svg viewBox="0 0 64 64" aria-hidden="true">${raw(PLANE)}</svg>
<div>
<h1>Seaplane</h1>
<p>Concourse CI, native on Kubernetes</p>
</div>
</header>
<section class="state ${report.status}">
<span class="dot" aria-hidden="true"></span>
<div>
<h2>${report.status === 'ok' ? 'Everything works' : 'Something is wrong'}</h2>
<p>${report.status === 'ok' ? 'The web server is up and its database answers.' : `The database does not answer: ${database.error}.`}</p>
</div>
</section>
<dl>
<div><dt>Database</dt><dd><span class="badge ${database.status}">${database.status}</span> PostgreSQL ${database.version}, ${kind}</dd></div>
<div><dt>Version</dt><dd>${report.version}</dd></div>
<div><dt>Cluster id</dt><dd><code>${instanceId}</code></dd></div>
</dl>
<p class="about">Seaplane runs Concourse pipelines, <code>fly</code> and resource types as they are, and every step of a build as a pod of its own.</p>
${hasBrowserApp ? '' : NOT_BUILT}<footer><a href="/health">The same as JSON</a><span>This page reloads itself</span></footer>
</main>
</body>
</html>
`;
}
