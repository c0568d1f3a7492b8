import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const MAIN = join(import.meta.dirname, 'main.ts');
const check = (type: string, input: string) =>
  spawnSync(process.execPath, [MAIN, 'resource', type, 'check'], { input, encoding: 'utf8', env: {} });

test('[BC43] the program is each built-in resource type', () => {
  const source = { interval: '1h' };
  const { status, stdout } = check('time', JSON.stringify({ source }));
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toEqual([{ time: expect.stringMatching(/^\d{4}-/) }]);
});

test('[BC43] a type that is not built in, and a request that is none, are refused with words', () => {
  expect(check('none', '{}')).toMatchObject({ status: 1, stderr: 'error: there is no built-in type "none"\n' });
  expect(check('time', '[]')).toMatchObject({ status: 1, stderr: 'error: the request is not a JSON object\n' });
});
