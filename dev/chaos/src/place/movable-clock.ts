// Loaded into web by `--import`. Each SIGUSR2 moves the time of day that web reads an hour ahead, or back. Timers, and the
// clock that only measures durations, go on as they are: so does a machine whose clock somebody sets. Each SIGURG moves
// the clock that measures durations an hour ahead: web takes it that an hour has passed.
const HOUR_MS = 3_600_000;
const RealDate = Date;
let offsetMs = 0;

class MovableDate extends RealDate {
  constructor(...values: []) {
    super(...((values.length === 0 ? [MovableDate.now()] : values) as []));
  }

  static override now(): number {
    return RealDate.now() + offsetMs;
  }
}

globalThis.Date = MovableDate as DateConstructor;
process.on('SIGUSR2', () => {
  offsetMs = offsetMs === 0 ? HOUR_MS : 0;
});

const measured = performance.now.bind(performance);
let passedMs = 0;
performance.now = () => measured() + passedMs;
process.on('SIGURG', () => {
  passedMs += HOUR_MS;
});
