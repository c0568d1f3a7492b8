import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { type LogLevel, onLines, parseLogLine } from './server-log.ts';

test.for<[string, LogLevel]>([
  ['LOG:  database system is ready to accept connections', 'debug'],
  ['WARNING:  there is no transaction in progress', 'warn'],
  ['ERROR:  duplicate key value', 'debug'],
  ['FATAL:  terminating connection', 'debug'],
  ['PANIC:  could not write to file', 'error'],
])('the level of %s is %s', ([line, level]) => {
  expect(parseLogLine(line, 'info')).toEqual({ level, message: line });
});

test('continued lines have the level of the line they continue', () => {
  for (const line of ['DETAIL:  Key (n)=(1) already exists.', 'STATEMENT:  INSERT', '\tINTO t', '']) {
    expect(parseLogLine(line, 'error').level).toBe('error');
  }
});

test('lines are whole, however the text was cut', async () => {
  const stream = new PassThrough();
  const lines: string[] = [];
  onLines(stream, (line) => lines.push(line));
  for (const chunk of ['a', 'b\nc\n', '\nlast ', '\u00fcber']) stream.write(chunk);
  stream.end();
  await new Promise((resolve) => stream.on('close', resolve));
  expect(lines).toEqual(['ab', 'c', '', 'last über']);
});
