import type { FlyFile } from '@seaplane/api';
import { html } from 'hono/html';
import { type Markup, renderPlainPage } from './plain-page.ts';

const RELEASES = 'https://github.com/concourse/concourse/releases';
const NAMES: Readonly<Record<string, string>> = { darwin: 'macOS', linux: 'Linux', windows: 'Windows' };

/** The page that offers fly, and says how to log in with it. `version` is the version of Concourse whose fly is wanted. */
export async function renderDownloadPage(
  files: readonly FlyFile[],
  { version, url }: { readonly version: string; readonly url: string },
): Promise<string> {
  const elsewhere = html`<a href="${RELEASES}/tag/v${version}">Concourse ${version}</a>`;
  return renderPlainPage({
    title: 'Seaplane: download fly',
    heading: 'fly',
    subheading: 'The command line of Concourse, which Seaplane speaks to as it is',
    body: html`<dl>
${offers(files).map(rowOf)}</dl>
${
  files.length > 0
    ? html`<p class="about">After the first time, <code>fly sync</code> does it. Other platforms: take fly from the release ${elsewhere}.</p>`
    : html`<p class="about">This installation has no fly to give. Take it from the release ${elsewhere}: the file <code>fly-${version}-PLATFORM-ARCH.tgz</code>. An operator who puts such files into a directory and starts web with <code>--fly-dir DIRECTORY</code> offers them here and to <code>fly sync</code>.</p>`
}
<p class="about then">Then log in, by this browser: <code>fly -t dev login -c ${url}</code>. <a href="/">Go to all pipelines</a></p>
`,
  });
}

/** One of each platform and processor: the API chooses the file. */
function offers(files: readonly FlyFile[]): FlyFile[] {
  const seen = new Map(files.map((file) => [`${file.platform} ${file.arch}`, file]));
  return [...seen.keys()].sort().map((key) => seen.get(key) as FlyFile);
}

function rowOf({ platform, arch }: FlyFile): Markup {
  const link = html`<a href="/api/v1/cli?platform=${platform}&amp;arch=${arch}">fly for ${arch}</a>`;
  return html`<div><dt>${NAMES[platform] ?? platform}</dt><dd>${link}</dd></div>
`;
}
