/** How many bytes at the end are the beginning of an unfinished character. */
export function unfinishedCharacter(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] as number;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return lengthByFirstByte(byte) > back ? back : 0;
  }
  return 0;
}

function lengthByFirstByte(byte: number): number {
  if (byte >= 0xf8) return 1; // not the first byte of a character
  if (byte >= 0xf0) return 4;
  return byte >= 0xe0 ? 3 : 2;
}
