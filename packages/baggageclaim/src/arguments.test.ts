import { expect, test } from 'vitest';
import { parseArguments } from './arguments.ts';

test('[BC21] options have values, and other arguments keep their order', () => {
  expect(parseArguments(['store', '--listen', 'a:1', '/dir'], ['listen'])).toEqual({
    options: { listen: 'a:1' },
    positionals: ['store', '/dir'],
  });
});

test('[BC21] an option that is unknown or has no value is refused', () => {
  expect(() => parseArguments(['--what', 'x'], ['listen'])).toThrow('no such option: --what');
  expect(() => parseArguments(['--listen'], ['listen'])).toThrow('--listen has no value');
});
