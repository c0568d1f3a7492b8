/** A line through points from left to right, as the path of an SVG. */
export function linePath(points: readonly (readonly [x: number, y: number])[]): string {
  const [start, ...rest] = points;
  if (!start) return '';
  let [x, y] = start;
  let path = `M${x} ${y}`;
  for (const [toX, toY] of rest) {
    const middle = (x + toX) / 2;
    path += ` C${middle} ${y} ${middle} ${toY} ${toX} ${toY}`;
    [x, y] = [toX, toY];
  }
  return path;
}
