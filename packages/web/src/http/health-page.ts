import { createHash } from 'node:crypto';
import { html, raw } from 'hono/html';
import type { HealthReport } from './health.ts';
import { HEALTH_PAGE_CSS } from './health-page-style.ts';

export interface HealthPage {
  readonly contentSecurityPolicy: string;
  render(report: HealthReport, instanceId: string): Promise<string>;
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
  return { contentSecurityPolicy, render: async (report, instanceId) => String(await page(report, instanceId)) };
}

/** A float plane on water. Colours come from the style sheet in the page, and are fixed in the icon. */
const PLANE = `
<path class="plane" fill="#0e7c86" d="M8 24.5 20 24l10-11h6l-5 11 14 .5c4.5 0 9 1.7 9 4s-4.5 4-9 4H18c-4 0-7-3-10-8z"/>
<path class="plane" fill="#0e7c86" d="M6 16h4l6 8-7 .8z"/>
<path class="float" fill="none" stroke="#0e7c86" stroke-width="2.5" stroke-linecap="round" d="M24 33l-3 7m19-7l3 7M14 41h34c3 0 5-1.5 6-3"/>
<path class="water" fill="none" stroke="#58a6c9" stroke-width="3" stroke-linecap="round" d="M6 51c4.3-3.5 8.7-3.5 13 0s8.7 3.5 13 0 8.7-3.5 13 0 8.7 3.5 13 0"/>`;
const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64">${PLANE}</svg>`;

function page(report: HealthReport, instanceId: string): Markup {
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
<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(ICON)}">
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
<footer><a href="/health">The same as JSON</a><span>This page reloads itself</span></footer>
</main>
</body>
</html>
`;
}
