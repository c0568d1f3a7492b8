import fc from 'fast-check';

/** Any text that is not empty. (fast-check's own `binary` strings take a second to get ready.) */
export function anyText(maxLength: number): fc.Arbitrary<string> {
  const codePoints = fc.array(fc.oneof(fc.nat(0x7f), fc.nat(0x10ffff)), { minLength: 1, maxLength });
  return codePoints.map((points) => String.fromCodePoint(...points));
}
