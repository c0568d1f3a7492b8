const NEWLINE = 0x0a;

/**
 * Cuts a text into pieces of at most `maxBytes` bytes of UTF-8. A piece ends with a line where it can, and never within a
 * character.
 */
export function splitText(text: string, maxBytes: number): string[] {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return [text];
  const pieces: string[] = [];
  for (let from = 0; from < bytes.length; ) {
    const to = endOfPiece(bytes, from, maxBytes);
    pieces.push(bytes.toString('utf8', from, to));
    from = to;
  }
  return pieces;
}

function endOfPiece(bytes: Buffer, from: number, maxBytes: number): number {
  if (bytes.length - from <= maxBytes) return bytes.length;
  const newline = bytes.subarray(from, from + maxBytes).lastIndexOf(NEWLINE);
  if (newline >= 0) return from + newline + 1;
  let end = from + maxBytes;
  while (isWithinCharacter(bytes[end] as number)) end--;
  return end;
}

function isWithinCharacter(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}
