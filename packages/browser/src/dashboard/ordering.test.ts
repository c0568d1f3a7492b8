import type { PipelineAnswer } from '@seaplane/api/answers';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { moveBefore, moveBy, orderInstances, orderWhole } from './ordering.ts';

test('[UI-DASH7] a card is put before another, or some places further on', () => {
  expect(moveBefore(['a', 'b', 'c'], 'c', 'a')).toEqual(['c', 'a', 'b']);
  expect(moveBefore(['a', 'b', 'c'], 'a', undefined)).toEqual(['b', 'c', 'a']);
  expect(moveBefore(['a', 'b'], 'a', 'gone')).toEqual(['a', 'b']);
  expect(moveBy(['a', 'b', 'c'], 'a', 1)).toEqual(['b', 'a', 'c']);
  expect(moveBy(['a', 'b', 'c'], 'c', 1)).toEqual(['a', 'b', 'c']);
  expect(moveBy(['a', 'b', 'c'], 'gone', 1)).toEqual(['a', 'b', 'c']);
});

test('[UI-DASH7] pipelines that are not shown keep their places', () => {
  expect(orderWhole(['a', 'hidden', 'b', 'c'], ['c', 'a', 'b'])).toEqual(['c', 'hidden', 'a', 'b']);
});

test('[UI-DASH7] instances that are not shown keep their places among those of their name', () => {
  const instance = (name: string, n: number) => ({ name, instance_vars: { n } }) as unknown as PipelineAnswer;
  const [one, two, three] = [instance('fleet', 1), instance('fleet', 2), instance('fleet', 3)] as const;
  const plain = { name: 'fleet' } as PipelineAnswer;
  const whole = [one, two, instance('other', 9), three, plain];
  expect(orderInstances(whole, [three, one])).toEqual([{ n: 3 }, { n: 2 }, { n: 1 }, {}]);
});

test('[UI-DASH7] no order loses or doubles a card', () => {
  const cards = fc.uniqueArray(fc.nat());
  fc.assert(
    fc.property(cards, fc.nat(), fc.nat(), fc.integer(), (list, i, j, places) => {
      const [moved, target] = [list[i % (list.length || 1)], list[j % (list.length || 1)]];
      const sorted = (of: readonly (number | undefined)[]) => of.toSorted();
      expect(sorted(moveBefore(list, moved, target))).toEqual(sorted(list));
      expect(sorted(moveBy(list, moved, places))).toEqual(sorted(list));
      const shown = list.filter((_, at) => at % 2 === 0).toReversed();
      expect(sorted(orderWhole(list, shown))).toEqual(sorted(list));
    }),
  );
});
