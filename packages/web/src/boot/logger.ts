import { type Logger, pino } from 'pino';
import type { LogLevel } from './config.ts';
import { formatLogLine } from './log-line.ts';

/** Logs to stderr: lines for a person at a terminal, otherwise JSON. Writes are synchronous, so that nothing is lost. */
export function createLogger(
  level: LogLevel,
  stderr: NodeJS.WriteStream = process.stderr,
  forPeople: boolean = stderr.isTTY,
): Logger {
  const options = { level, base: null, formatters: { level: (label: string) => ({ level: label }) } };
  if (forPeople) return pino(options, { write: (json: string) => void stderr.write(formatLogLine(json)) });
  return pino(options, pino.destination({ fd: 2, sync: true }));
}
