import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LogFind, markSpans, patternOf, rangesIn } from './find.ts';
import { LogCooker } from './log-cooker.ts';
import { textOf } from './log-line.ts';

const pattern = (text: string, isPattern = false, isCaseSensitive = false) =>
  patternOf({ text, isPattern, isCaseSensitive }) as RegExp;

test('[UI-FIND1] a text is found as it is written, a regular expression by its rules, with or without case', () => {
  expect(rangesIn('a.b A.B axb', pattern('a.b'))).toEqual([
    [0, 3],
    [4, 7],
  ]);
  expect(rangesIn('a.b A.B axb', pattern('a.b', true, true))).toEqual([
    [0, 3],
    [8, 11],
  ]);
  expect(rangesIn('aaa', pattern('x*', true))).toEqual([]);
  expect(patternOf({ text: '', isPattern: true, isCaseSensitive: false })).toBeUndefined();
  expect(() => pattern('(', true)).toThrow(SyntaxError);
});

test('[UI-FIND1] any text finds itself', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), fc.string(), (text, around) => {
      const [start] = rangesIn(`${around}${text}`, pattern(text, false, true)).map(([from]) => from);
      expect(start).toBe(`${around}${text}`.indexOf(text));
    }),
  );
});

test('[UI-FIND2] hits are counted exactly over all logs, also while lines arrive and change', () => {
  const [first, second] = [new LogCooker(), new LogCooker()];
  const logs = [
    { id: 'a', lines: first.lines },
    { id: 'b', lines: second.lines },
  ];
  const find = new LogFind(pattern('ok'));
  const scanAll = () => find.scan(logs, () => false);
  first.write('ok ok\nno\nok', 1);
  second.write('10% ok', 1);
  expect(scanAll()).toBe(true);
  expect(find.total).toBe(4);
  second.write('\r100% no', 2);
  first.write(' ok\nOK\n', 2);
  scanAll();
  expect(find.total).toBe(5);
  expect([0, 1, 2, 3, 4, 5].map((index) => find.hitAt(logs, index))).toEqual([
    { plan: 'a', line: 1, inLine: 0 },
    { plan: 'a', line: 1, inLine: 1 },
    { plan: 'a', line: 3, inLine: 0 },
    { plan: 'a', line: 3, inLine: 1 },
    { plan: 'a', line: 4, inLine: 0 },
    undefined,
  ]);
});

test('[UI-FIND2] a scan that stops goes on where it was', () => {
  const log = new LogCooker();
  log.write('x ok\n'.repeat(5_000), 1);
  const find = new LogFind(pattern('ok'));
  let rounds = 1;
  while (!find.scan([{ id: 'a', lines: log.lines }], () => true)) rounds++;
  expect({ total: find.total, isCut: rounds > 10 }).toEqual({ total: 5_000, isCut: true });
});

test('[UI-FIND3] hits are marked, and the text of the line stays', () => {
  const log = new LogCooker();
  log.write('\x1b[31mfail\x1b[0mure of a FAIL\n', 1);
  const [line] = log.lines;
  const marked = markSpans(line?.spans ?? [], pattern('failure|fail', true));
  expect(marked.map(({ text, hit }) => [text, hit])).toEqual([
    ['fail', 0],
    ['ure', 0],
    [' of a ', undefined],
    ['FAIL', 1],
  ]);
  const letters = fc.array(fc.constantFrom('a', 'b', '\x1b[31m', '\x1b[0m'), { maxLength: 40 });
  fc.assert(
    fc.property(letters, (parts) => {
      const cooker = new LogCooker();
      cooker.write(parts.join(''), 1);
      const spans = cooker.lines[0]?.spans ?? [];
      expect(
        markSpans(spans, pattern('ab'))
          .map(({ text }) => text)
          .join(''),
      ).toBe(textOf({ time: 1, spans, length: 0 }));
    }),
  );
});
