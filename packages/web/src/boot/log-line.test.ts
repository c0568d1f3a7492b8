import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { formatLogLine } from './log-line.ts';

const time = new Date(2030, 0, 2, 3, 4, 5).getTime();

function line(record: object): string {
  return stripVTControlCharacters(formatLogLine(JSON.stringify({ level: 'info', time, ...record })));
}

test('[LOG1] a record becomes a line with its fields', () => {
  expect(line({ msg: 'ready: http://localhost:8080' })).toBe('03:04:05 info  ready: http://localhost:8080\n');
  expect(line({ level: 'error', msg: 'a request failed', path: '/x', count: 2 })).toBe(
    '03:04:05 error a request failed path="/x" count=2\n',
  );
});

test('[LOG1] further lines of a message and the stack of an error are indented', () => {
  expect(line({ msg: 'one\ntwo', err: { message: 'no', stack: 'Error: no\n  at x' } })).toBe(
    `03:04:05 info  one\n${' '.repeat(15)}two\n${' '.repeat(15)}Error: no\n${' '.repeat(15)}  at x\n`,
  );
});
