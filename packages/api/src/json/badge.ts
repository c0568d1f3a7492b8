import type { BuildStatus } from '@seaplane/engine';
import { escapeXml } from './escape-xml.ts';

/** The width that fits the title `build`. */
const TITLE_WIDTH = 37;
/** A title begins to need more room at this length: a character of the font is about this wide. */
const TITLE_LENGTH = 5;
const CHARACTER_WIDTH = 7;

/** The text and colour of a badge for each status. The widths fit the texts. */
const BADGES: Readonly<Record<string, { readonly text: string; readonly colour: string; readonly width: number }>> = {
  succeeded: { text: 'passing', colour: '#44cc11', width: 51 },
  failed: { text: 'failing', colour: '#e05d44', width: 43 },
  errored: { text: 'errored', colour: '#fe7d37', width: 51 },
  aborted: { text: 'aborted', colour: '#8f4b2d', width: 53 },
};
const UNKNOWN = { text: 'unknown', colour: '#9f9f9f', width: 61 };

/** Two boxes side by side: a title and the status. */
export function badgeSvg(status: BuildStatus | undefined, title = 'build'): string {
  const { text, colour, width } = BADGES[status ?? ''] ?? UNKNOWN;
  const titleWidth = TITLE_WIDTH + Math.max(0, [...title].length - TITLE_LENGTH) * CHARACTER_WIDTH;
  const label = (x: number, words: string) =>
    `<text x="${x}" y="15" fill="#010101" fill-opacity=".3">${escapeXml(words)}</text>` +
    `<text x="${x}" y="14">${escapeXml(words)}</text>`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<svg xmlns="http://www.w3.org/2000/svg" width="${titleWidth + width}" height="20">`,
    `<clipPath id="round"><rect width="${titleWidth + width}" height="20" rx="3"/></clipPath>`,
    '<g clip-path="url(#round)">',
    `<rect width="${titleWidth}" height="20" fill="#555"/>`,
    `<rect x="${titleWidth}" width="${width}" height="20" fill="${colour}"/>`,
    '</g>',
    '<g fill="#fff" text-anchor="middle" font-family="DejaVu Sans,Verdana,Geneva,sans-serif" font-size="11">',
    label(titleWidth / 2, title),
    label(titleWidth + width / 2, text),
    '</g></svg>',
  ].join('\n');
}

const WORST_FIRST: readonly BuildStatus[] = ['failed', 'errored', 'aborted', 'succeeded'];

/** The worst status of a pipeline's jobs. */
export function worstOf(statuses: readonly BuildStatus[]): BuildStatus | undefined {
  return WORST_FIRST.find((status) => statuses.includes(status));
}
