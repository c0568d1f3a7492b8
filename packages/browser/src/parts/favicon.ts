import type { BuildStatus } from '@seaplane/engine/events';
import { useEffect } from 'preact/hooks';

/** A shape and a colour for each status, which light and dark tabs show. */
const PICTURES: Readonly<Record<BuildStatus, readonly [colour: string, shape: string]>> = {
  succeeded: ['#1fa971', '<circle cx="8" cy="8" r="7.5"/><path d="M4.5 8.3l2.4 2.4 4.6-5"/>'],
  failed: [
    '#d9392e',
    '<path d="M4.9.5h6.2l4.4 4.4v6.2l-4.4 4.4H4.9L.5 11.1V4.9z"/><path d="M5.2 5.2l5.600 5.600m0-5.600l-5.600 5.600"/>',
  ],
  errored: ['#d97f14', '<path d="M8 .8l7.500 14.200H.5z"/><path d="M8 5.500v4.500m0 2.500v.1"/>'],
  aborted: ['#8a6244', '<circle cx="8" cy="8" r="7.5"/><path d="M4 12l8-8"/>'],
  started: ['#c99a00', '<circle cx="8" cy="8" r="7.5"/><path d="M8 3.500V8l3 2.200"/>'],
  pending: ['#7a8b95', '<circle cx="8" cy="8" r="7.5"/><path d="M4.500 8h.1M8 8h.1M11.500 8h.1"/>'],
};

/** The picture of a tab that shows a build with this status, as an address. */
export function faviconOf(status: BuildStatus): string {
  const [colour, shape] = PICTURES[status];
  const [area = '', sign = ''] = shape.split('/>');
  const picture =
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">${area} fill="${colour}"/>` +
    `${sign} fill="none" stroke="#fff" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"/></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(picture)}`;
}

/** Shows the status of a build in its tab, while the build is shown. */
export function useFavicon(status: BuildStatus | undefined): void {
  useEffect(() => {
    const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
    if (!link || status === undefined) return;
    const before = link.href;
    link.href = faviconOf(status);
    return () => {
      link.href = before;
    };
  }, [status]);
}
