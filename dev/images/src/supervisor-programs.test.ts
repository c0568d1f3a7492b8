import { expect, test } from 'vitest';
import { isCompiled } from './supervisor-programs.ts';

test('[IMG10] the supervisors in the repository were made of the sources in it: npm run images -- supervisor', async () => {
  expect(await isCompiled()).toBe(true);
});
