import { expect, test } from 'vitest';
import { parseLook } from './side-bar-state.ts';

test.for([
  ['{"is_open":true,"width":300}', { isOpen: true, width: 300 }],
  ['{"is_open":true,"width":9000}', { isOpen: true, width: 600 }],
  ['{"is_open":"yes","width":"wide"}', { isOpen: false, width: 275 }],
  ['{', { isOpen: false, width: 275 }],
  [null, { isOpen: false, width: 275 }],
] as const)('[UI-SIDE1] the stored look %s', ([text, look]) => {
  expect(parseLook(text)).toEqual(look);
});
