/** A date and time of day as a calendar and a clock on the wall show them. */
export interface WallTime {
  readonly year: number;
  /** 1 to 12 */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

/** A place of the time zone database. */
export class Zone {
  readonly name: string;
  readonly #format: Intl.DateTimeFormat;

  private constructor(name: string, format: Intl.DateTimeFormat) {
    this.name = name;
    this.#format = format;
  }

  /** Throws for a name that the time zone database does not have. */
  static of(name: string): Zone {
    try {
      const numeric = 'numeric' as const;
      const parts = { year: numeric, month: numeric, day: numeric, hour: numeric, minute: numeric, second: numeric };
      const format = new Intl.DateTimeFormat('en-US', { timeZone: name, hourCycle: 'h23', era: 'short', ...parts });
      return new Zone(name, format);
    } catch (cause) {
      throw new Error(`unknown time zone ${name}`, { cause });
    }
  }

  wallTime(ms: number): WallTime {
    const shown = new Date(ms + this.offset(ms));
    return {
      year: shown.getUTCFullYear(),
      month: shown.getUTCMonth() + 1,
      day: shown.getUTCDate(),
      hour: shown.getUTCHours(),
      minute: shown.getUTCMinutes(),
      second: shown.getUTCSeconds(),
    };
  }

  /** 0 is Sunday. */
  weekday(ms: number): number {
    return new Date(ms + this.offset(ms)).getUTCDay();
  }

  /** Milliseconds that the wall clock is ahead of UTC at an instant. */
  offset(ms: number): number {
    const parts = Object.fromEntries(this.#format.formatToParts(ms).map(({ type, value }) => [type, value]));
    const numbers = ['year', 'month', 'day', 'hour', 'minute', 'second'].map((name) => Number(parts[name]));
    const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = numbers;
    const shown = Date.UTC(parts['era'] === 'BC' ? 1 - year : year, month - 1, day, hour, minute, second);
    return shown - Math.floor(ms / 1000) * 1000;
  }

  /**
   * The instant of a wall time; days and hours out of range carry over. A time that a change of the clock skips or repeats
   * is one of the two possible instants, the same as Go's `time.Date` chooses.
   */
  instant({ year, month, day, hour, minute, second }: WallTime): number {
    const local = Date.UTC(year, month - 1, day, hour, minute, second);
    const offset = this.offset(local);
    const guess = local - offset;
    const there = this.offset(guess);
    return there === offset ? guess : local - there;
  }
}
