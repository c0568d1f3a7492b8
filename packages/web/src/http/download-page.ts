import { createHash } from 'node:crypto';
import { type FlyFile, PLANE, PLANE_ICON } from '@seaplane/api';
import { html, raw } from 'hono/html';
import { HEALTH_PAGE_CSS } from './health-page-style.ts';

const RELEASES = 'https://github.com/concourse/concourse/releases';
const NAMES: Readonly<Record<string, string>> = { darwin: 'macOS', linux: 'Linux', windows: 'Windows' };

export interface DownloadPage {
  readonly contentSecurityPolicy: string;
  /** `version` is the version of Concourse whose fly is wanted. */
  render(files: readonly FlyFile[], version: string): Promise<string>;
}

/** The page that offers fly. It has no scripts. */
export function makeDownloadPage(): DownloadPage {
  const styleHash = createHash('sha256').update(HEALTH_PAGE_CSS).digest('base64');
  return {
    contentSecurityPolicy: `default-src 'none'; style-src 'sha256-${styleHash}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    render: async (files, version) => String(await page(offers(files), version)),
  };
}

/** One of each platform and processor: the API chooses the file. */
function offers(files: readonly FlyFile[]): FlyFile[] {
  const seen = new Map(files.map((file) => [`${file.platform} ${file.arch}`, file]));
  return [...seen.keys()].sort().map((key) => seen.get(key) as FlyFile);
}

function page(files: readonly FlyFile[], version: string) {
  const rows = files.map(
    ({
      platform,
      arch,
    }) => html`<div><dt>${NAMES[platform] ?? platform}</dt><dd><a href="/api/v1/cli?platform=${platform}&amp;arch=${arch}">fly for ${arch}</a></dd></div>
`,
  );
  const elsewhere = html`<a href="${RELEASES}/tag/v${version}">Concourse ${version}</a>`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Seaplane: download fly</title>
<link rel="icon" href="${PLANE_ICON}">
<style>${raw(HEALTH_PAGE_CSS)}</style>
</head>
<body>
<main>
<header>
<svg viewBox="0 0 64 64" aria-hidden="true">${raw(PLANE)}</svg>
<div>
<h1>fly</h1>
<p>The command line of Concourse, which Seaplane speaks to as it is</p>
</div>
</header>
<dl>
${rows}</dl>
${
  files.length > 0
    ? html`<p class="about">After the first time, <code>fly sync</code> does it. Other platforms: take fly from the release ${elsewhere}.</p>`
    : html`<p class="about">This installation has no fly to give. Take it from the release ${elsewhere}: the file <code>fly-${version}-PLATFORM-ARCH.tgz</code>. An operator who puts such files into a directory and starts web with <code>--fly-dir DIRECTORY</code> offers them here and to <code>fly sync</code>.</p>`
}
</main>
</body>
</html>
`;
}
