import { html } from 'hono/html';
import type { HealthReport } from './health.ts';
import { renderPlainPage } from './plain-page.ts';

const NOT_BUILT = html`<p class="about">The browser application is not built. Run <code>npm run browser</code> and start web again.</p>
`;

/** The page for people who open the server in a browser. It reloads itself. */
export async function renderHealthPage(
  report: HealthReport,
  instanceId: string,
  hasBrowserApp: boolean,
): Promise<string> {
  const { database } = report;
  const isOk = report.status === 'ok';
  const kind = database.kind === 'embedded' ? 'embedded' : 'from DATABASE_URL';
  return renderPlainPage({
    title: isOk ? 'Seaplane' : 'Seaplane: failing',
    heading: 'Seaplane',
    subheading: 'Concourse CI, native on Kubernetes',
    reloadAfter: 15,
    body: html`<section class="state ${report.status}">
<span class="dot" aria-hidden="true"></span>
<div>
<h2>${isOk ? 'Everything works' : 'Something is wrong'}</h2>
<p>${isOk ? 'The web server is up and its database answers.' : `The database does not answer: ${database.error}.`}</p>
</div>
</section>
<dl>
<div><dt>Database</dt><dd><span class="badge ${database.status}">${database.status}</span> PostgreSQL ${database.version}, ${kind}</dd></div>
<div><dt>Version</dt><dd>${report.version}</dd></div>
<div><dt>Cluster id</dt><dd><code>${instanceId}</code></dd></div>
</dl>
<p class="about">Seaplane runs Concourse pipelines, <code>fly</code> and resource types as they are, and every step of a build as a pod of its own.</p>
${hasBrowserApp ? '' : NOT_BUILT}<footer><a href="/health">The same as JSON</a><span>This page reloads itself</span></footer>
`,
  });
}
