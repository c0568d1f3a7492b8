/**
 * A number as Go writes a single-precision float: the fewest digits that keep its value, with an exponent from a
 * million on. Concourse writes a number this way where a field wants text.
 */
export function float32Text(value: number): string {
  const single = Math.fround(value);
  let digits = 1;
  while (digits < 9 && Math.fround(Number(single.toPrecision(digits))) !== single) digits++;
  const [mantissa, exponentText] = single.toExponential(digits - 1).split('e') as [string, string];
  const exponent = Number(exponentText);
  if (exponent >= -4 && exponent < 6) return trimZeros(Number(single.toPrecision(digits)).toString());
  const sign = exponent < 0 ? '-' : '+';
  return `${trimZeros(mantissa)}e${sign}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

function trimZeros(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}
