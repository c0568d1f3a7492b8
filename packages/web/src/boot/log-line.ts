import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

const STYLES: Readonly<Record<string, Style>> = {
  warn: 'yellow',
  error: 'red',
  fatal: 'red',
  info: 'green',
};

/** Formats one record of pino's log as a line for a person. */
export function formatLogLine(json: string): string {
  const { level, time, msg, err, ...rest } = JSON.parse(json) as Record<string, unknown>;
  const clock = new Date(Number(time)).toTimeString().slice(0, 8);
  const label = String(level).padEnd(5);
  const fields = Object.entries(rest).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  const stack = isRecord(err) ? [String(err['stack'] ?? err['message'])] : [];
  const text = [[String(msg ?? ''), ...fields].join(' '), ...stack].join('\n');
  const style = STYLES[String(level)] ?? 'dim';
  return `${styleText('dim', clock)} ${styleText(style, label)} ${text.replaceAll('\n', `\n${' '.repeat(15)}`)}\n`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
