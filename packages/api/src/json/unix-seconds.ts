export function unixSeconds(date: Date | undefined): number | undefined {
  return date && Math.floor(date.getTime() / 1000);
}
