import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EventText } from './event-text.ts';

const TEXT = [
  'id: 0\nevent: event\ndata: {"data":{"payload":"a: b\\n\\n"}}\n\n',
  'id: 1\nevent: event\ndata: {"data":{"payload":"ö"}}\n\n',
  'id: 2\nevent: end\ndata\n\n',
].join('');

test('[UI-EVENT1] a stream gives the same events, wherever its text is cut', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(TEXT.length)), (cuts) => {
      const ends = [...cuts.toSorted((a, b) => a - b), TEXT.length];
      const text = new EventText();
      const events = ends.flatMap((end, i) => text.take(TEXT.slice(ends[i - 1] ?? 0, end)));
      expect(events).toEqual([
        { id: '0', event: 'event', data: '{"data":{"payload":"a: b\\n\\n"}}' },
        { id: '1', event: 'event', data: '{"data":{"payload":"ö"}}' },
        { id: '2', event: 'end', data: '' },
      ]);
    }),
  );
});

test('[UI-EVENT1] an event whose end has not come is not given', () => {
  const text = new EventText();
  expect(text.take('id: 0\nevent: event\ndata: {}\n')).toEqual([]);
  expect(text.take('\nid: 1')).toEqual([{ id: '0', event: 'event', data: '{}' }]);
});
