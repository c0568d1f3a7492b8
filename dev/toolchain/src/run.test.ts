import { expect, test } from 'vitest';
import { RunError, run } from './run.ts';

test('collects output and takes input', async () => {
  expect(await run('sh', ['-c', 'tr a-z A-Z; echo said >&2'], { input: 'abc' })).toEqual({
    code: 0,
    stdout: 'ABC',
    stderr: 'said\n',
  });
});

test('a failure carries the command, the exit status and the last words', async () => {
  const error = await run('sh', ['-c', 'echo why >&2; exit 3']).catch((error: unknown) => error);
  expect(error).toBeInstanceOf(RunError);
  expect(error).toMatchObject({ code: 3, stderr: 'why\n' });
  expect((error as Error).message).toBe('sh -c echo why >&2; exit 3: exit status 3\nwhy');
});

test('exit codes named as fine do not throw', async () => {
  expect((await run('sh', ['-c', 'exit 1'], { ok: [0, 1] })).code).toBe(1);
  expect((await run('sh', ['-c', 'exit 9'], { ok: 'any' })).code).toBe(9);
});

test('a program that is not there is an error with its name', async () => {
  await expect(run('no-such-program', [])).rejects.toThrow(/no-such-program.*ENOENT/);
});

test('a program ended by a signal says so', async () => {
  await expect(run('sh', ['-c', 'kill -TERM $$'])).rejects.toThrow('ended by SIGTERM');
});

test('a child that does not read its input is judged by its exit status', async () => {
  expect((await run('true', [], { input: 'x'.repeat(1_000_000) })).code).toBe(0);
});
