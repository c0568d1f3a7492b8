/** Go's JSON parser, and so Concourse, refuses deeper values. For V8's they take seconds. */
const DEEPEST = 10_000;

/**
 * Returns the offset at which the text's first JSON value ends. The value starts at offset 0. Visits each character at
 * most once: a resource script chooses the text, and web has one thread. Throws if the value is nested too deeply to be
 * parsed. Whether the value is valid is left to the parser.
 */
export function endOfFirstValue(text: string): number {
  const first = text[0];
  if (first === '"') return endOfString(text, 0);
  if (first !== '[' && first !== '{') return endOfLiteral(text);
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at) - 1;
    else if (character === '[' || character === '{') {
      if (++depth > DEEPEST) throw new RangeError(`nested more than ${DEEPEST} deep`);
    } else if ((character === ']' || character === '}') && --depth === 0) return at + 1;
  }
  return text.length;
}

/** The offset after the closing quote of the string that opens at `start`, or the text's end if nothing closes it. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '"') return at + 1;
    if (text[at] === '\\') at++;
  }
  return text.length;
}

/** The end of a number, `true`, `false` or `null`. */
function endOfLiteral(text: string): number {
  const end = text.search(/[\s"[\]{},:]/);
  return end < 0 ? text.length : end;
}
