export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export interface ServerLogLine {
  readonly level: LogLevel;
  readonly message: string;
}

const LEVELS: Readonly<Record<string, LogLevel>> = {
  WARNING: 'warn',
  PANIC: 'error',
  // ERROR and FATAL go to the client that caused them, which knows better whether they matter, or end up in the error
  // of a start that failed.
};

/**
 * The level of a line of PostgreSQL's log. Lines that continue one (DETAIL, STATEMENT, a tab) have that one's level.
 */
export function parseLogLine(line: string, previous: LogLevel): ServerLogLine {
  const severity = /^([A-Z]+\d?): {2}/.exec(line)?.[1];
  if (!severity || ['DETAIL', 'HINT', 'QUERY', 'CONTEXT', 'LOCATION', 'STATEMENT'].includes(severity)) {
    return { level: previous, message: line };
  }
  return { level: LEVELS[severity] ?? 'debug', message: line };
}

/** Splits a stream of text into lines. The last one is given when the stream ends, even without its newline. */
export function onLines(stream: NodeJS.ReadableStream, onLine: (line: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line);
  });
  stream.on('end', () => {
    if (rest) onLine(rest);
  });
}
