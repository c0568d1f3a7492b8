import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatAge, formatDuration, formatMoment } from '../../parts/format-time.ts';
import { formatLineRange, parseLineRange, selectLine } from './line-range.ts';
import { linkify } from './linkify.ts';
import { LogCooker } from './log-cooker.ts';
import { textOf } from './log-line.ts';

const ESC = '\x1b';

function cook(...payloads: readonly string[]) {
  const log = new LogCooker();
  for (const [i, payload] of payloads.entries()) log.write(payload, i + 1);
  return log.lines;
}

const texts = (...payloads: readonly string[]) => cook(...payloads).map(textOf);

test.for([
  ['lines', 'a\nb\n\nc', ['a', 'b', '', 'c']],
  ['Windows lines', 'a\r\nb\r\n', ['a', 'b']],
  ['a progress bar', ' 10%\r 50%\r100%\n', ['100%']],
  ['a shorter text over a longer one', 'abcdef\rxy\n', ['xycdef']],
  ['backspace', 'abc\b\bX', ['aXc']],
  ['tabs', 'a\tb', ['a       b']],
  ['the cursor up and erasing', `one\ntwo\n${ESC}[1A${ESC}[2Kthree\n`, ['one', 'three']],
  ['erasing to the end', `abcdef\r${ESC}[3C${ESC}[K!`, ['abc!']],
  ['erasing to the start', `abcdef${ESC}[3D${ESC}[1K`, ['   def']],
  ['columns', `abc${ESC}[1GX${ESC}[10Gend`, ['Xbc      end']],
  ['down', `a${ESC}[1Bb`, ['a', ' b']],
  ['a sequence that nobody knows', `a${ESC}[?25l${ESC}(Bb${ESC}]0;title\x07c`, ['abc']],
] as const)('[UI-LOG1] %s', ([, output, lines]) => {
  expect(texts(output)).toEqual(lines);
});

test('[UI-LOG1] a line has the time of its last change', () => {
  expect(cook('a', 'b\n', 'c').map(({ time }) => time)).toEqual([2, 3]);
});

test('[UI-LOG2] output may be cut anywhere', () => {
  const part = fc.constantFrom(
    'a',
    'xyz',
    '\n',
    '\r',
    '\b',
    '\t',
    ' ',
    `${ESC}[31m`,
    `${ESC}[0m`,
    `${ESC}[1A`,
    `${ESC}[2K`,
    `${ESC}[5D`,
    `${ESC}]8;;https://x.y\x07`,
    `${ESC}]8;;\x07`,
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 30 }), fc.array(fc.nat(40)), (parts, cuts) => {
      const output = parts.join('');
      const pieces: string[] = [];
      let rest = output;
      for (const cut of cuts) {
        pieces.push(rest.slice(0, cut));
        rest = rest.slice(cut);
      }
      const shown = (lines: ReturnType<typeof cook>) =>
        lines.map(({ spans }) => spans.flatMap(({ text, style }) => [...text].map((letter) => [letter, style])));
      expect(shown(cook(...pieces, rest))).toEqual(shown(cook(output)));
    }),
  );
});

test('[UI-LOG3] styles', () => {
  const [line] = cook(
    `a${ESC}[1;31mb${ESC}[22;39mc${ESC}[38;5;208md${ESC}[48;2;1;2;300me${ESC}[0mf${ESC}[94;7;3;4;9;2mg${ESC}[mh`,
  );
  expect(line?.spans).toEqual([
    { text: 'a', style: {} },
    { text: 'b', style: { bold: true, foreground: 1 } },
    { text: 'c', style: {} },
    { text: 'd', style: { foreground: 'rgb(255 135 0)' } },
    { text: 'e', style: { foreground: 'rgb(255 135 0)', background: 'rgb(1 2 255)' } },
    { text: 'f', style: {} },
    { text: 'g', style: { foreground: 12, inverse: true, italic: true, underline: true, strike: true, faint: true } },
    { text: 'h', style: {} },
  ]);
});

test('[UI-LOG4] addresses are links', () => {
  expect(linkify('see https://a.b/c?d=1#e, (http://x.y).')).toEqual([
    { text: 'see ' },
    { text: 'https://a.b/c?d=1#e', href: 'https://a.b/c?d=1#e' },
    { text: ', (' },
    { text: 'http://x.y', href: 'http://x.y' },
    { text: ').' },
  ]);
  expect(linkify('javascript:alert(1) file:///etc')).toEqual([{ text: 'javascript:alert(1) file:///etc' }]);
});

test('[UI-LOG4] a program marks links of the web, and no others', () => {
  const [line] = cook(
    `${ESC}]8;;https://a.b${ESC}\\text${ESC}]8;;${ESC}\\ ${ESC}]8;;javascript:alert(1)\x07no${ESC}]8;;\x07`,
  );
  expect(line?.spans.map(({ text, style }) => [text, style.href])).toEqual([
    ['text', 'https://a.b'],
    [' ', undefined],
    ['no', undefined],
  ]);
});

test('[UI-LOG5] fragments name lines', () => {
  expect(parseLineRange('#L5f1:3')).toEqual({ plan: '5f1', first: 3, last: 3 });
  expect(parseLineRange('#L5f1:9:3')).toEqual({ plan: '5f1', first: 3, last: 9 });
  for (const text of ['', '#', '#L5f1', '#L5f1:0', '#L5f1:x', '#5:1']) expect(parseLineRange(text)).toBeUndefined();
  expect(formatLineRange({ plan: '7', first: 3, last: 9 })).toBe('#L7:3:9');
  expect(formatLineRange({ plan: '7', first: 3, last: 3 })).toBe('#L7:3');
  const one = selectLine(undefined, '7', 5, false);
  expect(selectLine(one, '7', 8, true)).toEqual({ plan: '7', first: 5, last: 8 });
  expect(selectLine(one, '7', 2, true)).toEqual({ plan: '7', first: 2, last: 5 });
  expect(selectLine(one, '8', 2, true)).toEqual({ plan: '8', first: 2, last: 2 });
});

test('[UI-TIME1] a moment is written in the zone of the user', () => {
  const seconds = new Date(2026, 0, 2, 3, 4, 5).getTime() / 1000;
  expect(formatMoment(seconds)).toBe('2026-01-02 03:04:05');
});

test('[UI-TIME1] ages and durations', () => {
  expect([0, 59, 60, 7_200, 90_000, 4e7].map(formatAge)).toEqual(['0 s', '59 s', '1 m', '2 h', '1 d', '1 y']);
  expect([-1, 9.4, 65, 3_840].map(formatDuration)).toEqual(['0 s', '9 s', '1 m 05 s', '1 h 04 m']);
});
