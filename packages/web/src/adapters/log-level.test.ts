import { pino } from 'pino';
import { expect, test } from 'vitest';
import { logLevelOf } from './log-level.ts';

test('[LOG3] the level of the log is shown in the words of Concourse, and can be set', () => {
  const lines: string[] = [];
  const logger = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
  const level = logLevelOf(logger);
  expect(level.get()).toBe('error');
  logger.info('hidden');
  level.set('debug');
  expect(level.get()).toBe('debug');
  logger.debug('shown');
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['shown']);
  logger.level = 'silent';
  expect(level.get()).toBe('fatal');
});
