import { expect, test } from 'vitest';
import { hiddenSides } from './hidden-sides.ts';

const BOX = { scrollLeft: 0, scrollTop: 0, clientWidth: 300, clientHeight: 200, scrollWidth: 300, scrollHeight: 200 };

test.for([
  ['a graph that fits', {}, []],
  ['a graph that is too wide, at its start', { scrollWidth: 900 }, ['right']],
  ['in its middle', { scrollWidth: 900, scrollLeft: 300 }, ['left', 'right']],
  ['near its end', { scrollWidth: 900, scrollLeft: 599.5 }, ['left']],
  ['a graph that is too high, too', { scrollWidth: 900, scrollHeight: 900, scrollTop: 50 }, ['right', 'top', 'bottom']],
] as const)('[UI-ZOOM3] sides with more behind them: %s', ([, box, sides]) => {
  expect(hiddenSides({ ...BOX, ...box })).toEqual(sides);
});
