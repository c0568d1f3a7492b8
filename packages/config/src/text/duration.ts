import { ConfigError } from '../error.ts';

const UNITS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  '\u00b5s': 1_000n,
  '\u03bcs': 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

const LONGEST = 2n ** 63n - 1n;

/**
 * A Go duration such as `1h30m` or `250ms`, in milliseconds. Throws a ConfigError with Go's words if the text is not a
 * duration.
 */
export function parseDuration(text: string): number {
  return Number(parseNanoseconds(text)) / 1e6;
}

export function isDuration(text: string): boolean {
  try {
    parseNanoseconds(text);
    return true;
  } catch {
    return false;
  }
}

/** The same duration in the one form Go writes it: `90s` is `1m30s`, `24h` is `24h0m0s`. */
export function canonicalDuration(text: string): string {
  const total = parseNanoseconds(text);
  if (total === 0n) return '0s';
  const sign = total < 0n ? '-' : '';
  return sign + formatMagnitude(total < 0n ? -total : total);
}

function parseNanoseconds(text: string): bigint {
  const signed = /^[-+]/.test(text);
  let rest = signed ? text.slice(1) : text;
  if (rest === '0') return 0n;
  if (rest === '') throw invalid(text);
  let total = 0n;
  while (rest !== '') {
    const number = /^([0-9]*)(?:\.([0-9]*))?/.exec(rest) as RegExpExecArray;
    const [all, whole = '', fraction = ''] = number;
    if (whole === '' && fraction === '') throw invalid(text);
    rest = rest.slice(all.length);
    const unit = (/^[^.0-9]*/.exec(rest) as RegExpExecArray)[0];
    if (unit === '') throw new ConfigError('invalid-duration', `time: missing unit in duration ${quoted(text)}`);
    const scale = Object.hasOwn(UNITS, unit) ? UNITS[unit] : undefined;
    if (scale === undefined) {
      throw new ConfigError('invalid-duration', `time: unknown unit ${quoted(unit)} in duration ${quoted(text)}`);
    }
    rest = rest.slice(unit.length);
    total += BigInt(whole || '0') * scale + (BigInt(fraction || '0') * scale) / 10n ** BigInt(fraction.length);
    if (total > LONGEST) throw invalid(text);
  }
  return text.startsWith('-') ? -total : total;
}

function formatMagnitude(total: bigint): string {
  if (total < 1_000n) return `${total}ns`;
  if (total < 1_000_000n) return `${decimal(total, 3)}\u00b5s`;
  if (total < 1_000_000_000n) return `${decimal(total, 6)}ms`;
  const hours = total / 3_600_000_000_000n;
  const minutes = (total / 60_000_000_000n) % 60n;
  const seconds = `${decimal(total % 60_000_000_000n, 9)}s`;
  if (hours > 0n) return `${hours}h${minutes}m${seconds}`;
  return minutes > 0n ? `${minutes}m${seconds}` : seconds;
}

/** `value` with its last `places` digits behind a point, without needless zeros. */
function decimal(value: bigint, places: number): string {
  const digits = value.toString().padStart(places + 1, '0');
  return `${digits.slice(0, -places)}.${digits.slice(-places)}`.replace(/\.?0+$/, '');
}

function invalid(text: string): ConfigError {
  return new ConfigError('invalid-duration', `time: invalid duration ${quoted(text)}`);
}

function quoted(text: string): string {
  return JSON.stringify(text);
}
