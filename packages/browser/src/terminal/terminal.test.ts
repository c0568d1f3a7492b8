import type { ContainerAnswer } from '@seaplane/api/answers';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chooseSandbox } from './choose-sandbox.ts';
import { inputMessages, processSpec, readShellMessage, resizeMessage } from './shell-messages.ts';

const sandbox = (id: string, plan_id: string, state: ContainerAnswer['state'] = 'created'): ContainerAnswer => ({
  id,
  plan_id,
  state,
  type: 'task',
  worker_name: 'w',
});

test('[UI-TERM1] a step is entered in its own sandbox, and in the last one if it was started again', () => {
  const all = [sandbox('a', '1'), sandbox('b', '2'), sandbox('c', '1'), sandbox('d', '1', 'destroying')];
  expect(chooseSandbox(all, '1')?.id).toBe('c');
  expect(chooseSandbox(all, '3')).toBeUndefined();
});

test('[UI-TERM2] the first message names the shell, its user and its place, and the size of the terminal', () => {
  const place = { user: 'nobody', working_directory: '/tmp/build/x' };
  expect(JSON.parse(processSpec('bash', place, { columns: 100, rows: 30 }))).toEqual({
    path: 'bash',
    args: [],
    env: ['TERM=xterm-256color'],
    dir: '/tmp/build/x',
    user: 'nobody',
    privileged: true,
    tty: { window_size: { columns: 100, rows: 30 } },
  });
  expect(JSON.parse(resizeMessage({ columns: 3, rows: 4 }))).toEqual({ tty: { window_size: { columns: 3, rows: 4 } } });
});

test('[UI-TERM2] whatever is typed or printed, its bytes arrive', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), fc.integer({ min: 0, max: 2_000 }), (some, times) => {
      const bytes = Uint8Array.from({ length: some.length * times }, (_, i) => some[i % some.length] ?? 0);
      const sent = inputMessages(bytes).map((each) => atob(JSON.parse(each).stdin));
      expect(sent.join('')).toBe(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
      expect(sent.every(({ length }) => length <= 32 * 1024)).toBe(true);
      const [stdout] = inputMessages(some).map((each) => JSON.parse(each).stdin);
      if (some.length > 0)
        expect(readShellMessage(JSON.stringify({ stdout }))).toEqual({ kind: 'output', bytes: some });
    }),
    { numRuns: 30 },
  );
});

test('[UI-TERM3] the end of a shell is read, and messages of other kinds are left out', () => {
  expect(readShellMessage('{"exit_status":3}')).toEqual({ kind: 'exited', status: 3 });
  expect(readShellMessage('{"error":"gone"}')).toEqual({ kind: 'failed', reason: 'gone' });
  expect(readShellMessage('{"executable_not_found":true}')).toEqual({ kind: 'no-program' });
  expect(readShellMessage('{"later":1}')).toEqual({ kind: 'nothing' });
});
