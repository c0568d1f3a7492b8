const UNITS = [
  ['y', 365 * 86_400],
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
] as const;

/** A time span in one unit: `12 m`. */
export function formatAge(seconds: number): string {
  const [unit, size] = UNITS.find(([, each]) => seconds >= each) ?? ['s', 1];
  return `${Math.max(0, Math.floor(seconds / size))} ${unit}`;
}

/** A duration in two units: `1 h 04 m`, `2 m 05 s`, `9 s`. */
export function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const [h, m, s] = [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60, whole % 60];
  if (h > 0) return `${h} h ${pad(m)} m`;
  return m > 0 ? `${m} m ${pad(s)} s` : `${s} s`;
}

/** The time of a log line: `12:00:01`, in the user's zone. */
export function formatClock(unixSeconds: number): string {
  const date = new Date(unixSeconds * 1000);
  return `${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}`;
}

/**
 * A moment in the user's zone: `2026-11-16 12:00:01`. The browser's own words for it cost the first page that uses them a
 * tenth of a second.
 */
export function formatMoment(unixSeconds: number): string {
  const date = new Date(unixSeconds * 1000);
  const day = [date.getFullYear(), pad(date.getMonth() + 1), pad(date.getDate())].join('-');
  return `${day} ${formatClock(unixSeconds)}`;
}

function pad(value: number): string {
  return String(value).padStart(2, '0');
}
