type Fits = (character: string) => boolean;

/** A piece of a pattern: one character, any number of characters, or one of several patterns. */
type Piece =
  | { readonly kind: 'one' | 'any'; readonly fits: Fits }
  | { readonly kind: 'either'; readonly options: Piece[][] };

/** More braces within braces than anybody writes. */
const DEEPEST = 100;

const anything: Fits = () => true;
const noSlash: Fits = (character) => character !== '/';

export interface Glob {
  /** The plain text that every matching name begins with, and ends with. */
  readonly start: string;
  readonly end: string;
  test(name: string): boolean;
}

/**
 * The pattern of a group's job: `*` and `?`, `[a-z]` and `[!a-z]`, `{one,other}`, and a backslash before a character
 * that means itself. Undefined when the text is not a valid pattern.
 */
export function compileGlob(pattern: string): Glob | undefined {
  if (!/[?[\]{}\\]/.test(pattern)) return globOfStars(pattern);
  const whole: Piece[] = [];
  const open: Piece[][][] = [];
  const pieces = () => open.at(-1)?.at(-1) ?? whole;
  let rest = pattern;
  while (rest !== '') {
    const token = (/^(\\.|\*+|\[!?[^\]]*\]|[\s\S])/u.exec(rest) as RegExpExecArray)[0];
    rest = rest.slice(token.length);
    if (token.startsWith('*')) pieces().push({ kind: 'any', fits: anything });
    else if (token === '?') pieces().push({ kind: 'one', fits: anything });
    else if (token === '{') {
      const options: Piece[][] = [[]];
      pieces().push({ kind: 'either', options });
      open.push(options);
      if (open.length > DEEPEST) return undefined; // matching goes one level down for each
    } else if (token === '}' && open.length > 0) open.pop();
    else if (token === ',' && open.length > 0) open.at(-1)?.push([]);
    else if (token.startsWith('[') && token.length > 1) {
      const fits = characterClass(token, '!');
      if (fits === undefined) return undefined;
      pieces().push({ kind: 'one', fits });
    } else if (['\\', '[', ']', '}'].includes(token)) return undefined;
    else pieces().push(itself(token));
  }
  if (open.length > 0) return undefined;
  const [start = '', end = ''] = [/^[^*?[\]{}\\]*/, /[^*?[\]{}\\]*$/].map((text) => text.exec(pattern)?.[0]);
  return { start, end, test: (name) => matches(whole, name) };
}

/** Most patterns have no wildcard but stars. The texts between them are looked for one after another. */
function globOfStars(pattern: string): Glob {
  const [start = '', ...rest] = pattern.split(/\*+/);
  const end = rest.pop();
  if (end === undefined) return { start, end: start, test: (name) => name === start };
  const test = (name: string) => {
    let at = start.length;
    for (const text of rest) {
      const found = name.indexOf(text, at);
      if (found < 0) return false;
      at = found + text.length;
    }
    return name.startsWith(start) && name.endsWith(end) && name.length >= at + end.length;
  };
  return { start, end, test };
}

/** Whether an entry of `passed` matches only the job of exactly this name. */
export function isPlainJobName(entry: string): boolean {
  return !/[*?[\\]/.test(entry);
}

/**
 * The pattern of jobs in `passed`: `*`, `?`, `[a-z]`, `[^a-z]` and backslashes, where `*` and `?` stop at a slash.
 * Undefined when the text is not a valid pattern.
 */
export function compilePassed(pattern: string): Glob | undefined {
  const pieces: Piece[] = [];
  let rest = pattern;
  while (rest !== '') {
    const token = (/^(\\.|\[\^?[^\]]+\]|[\s\S])/u.exec(rest) as RegExpExecArray)[0];
    rest = rest.slice(token.length);
    if (token === '*') pieces.push({ kind: 'any', fits: noSlash });
    else if (token === '?') pieces.push({ kind: 'one', fits: noSlash });
    else if (token.startsWith('[') && token.length > 1) {
      const fits = characterClass(token, '^');
      if (fits === undefined) return undefined;
      pieces.push({ kind: 'one', fits });
    } else if (token === '\\' || token === '[') return undefined;
    else pieces.push(itself(token));
  }
  const stars = /[?[\]\\]/.test(pattern) ? undefined : globOfStars(pattern);
  const [start = '', end = ''] = [/^[^*?[\]\\]*/, /[^*?[\]\\]*$/].map((text) => text.exec(pattern)?.[0]);
  return { start, end, test: (name) => (stars && !name.includes('/') ? stars.test(name) : matches(pieces, name)) };
}

/** A character that means itself, with or without a backslash before it. */
function itself(token: string): Piece {
  const wanted = token.startsWith('\\') ? token.slice(1) : token;
  return { kind: 'one', fits: (character) => character === wanted };
}

/**
 * Goes through the pattern once, with the set of all positions in the name that it may have reached. A regular
 * expression would try the positions one by one, and a pattern with many stars could take for ever.
 */
function matches(pieces: readonly Piece[], name: string): boolean {
  const characters = [...name];
  return placesAfter(pieces, characters, new Set([0])).has(characters.length);
}

function placesAfter(
  pieces: readonly Piece[],
  characters: readonly string[],
  before: ReadonlySet<number>,
): ReadonlySet<number> {
  let places = before;
  for (const piece of pieces) {
    if (places.size === 0) break;
    const next = new Set<number>();
    if (piece.kind === 'either') {
      for (const option of piece.options) for (const at of placesAfter(option, characters, places)) next.add(at);
    } else {
      const fits = (at: number) => at < characters.length && piece.fits(characters[at] as string);
      for (const place of places) {
        if (piece.kind === 'one' && fits(place)) next.add(place + 1);
        if (piece.kind === 'one') continue;
        let at = place;
        for (; !next.has(at) && fits(at); at++) next.add(at);
        next.add(at);
      }
    }
    places = next;
  }
  return places;
}

/** A class such as `[a-cx]`; `negation` is the character that negates it. */
function characterClass(token: string, negation: string): Fits | undefined {
  const negated = token[1] === negation;
  const inside = [...token.slice(negated ? 2 : 1, -1)];
  if (inside.length === 0) return undefined;
  let source = '';
  for (let index = 0; index < inside.length; index++) {
    const from = inside[index] as string;
    const to = inside[index + 1] === '-' ? inside[index + 2] : undefined;
    if (to === undefined) {
      if (from === '-') return undefined;
      source += literal(from);
      continue;
    }
    if ((to.codePointAt(0) as number) < (from.codePointAt(0) as number)) return undefined;
    source += `${literal(from)}-${literal(to)}`;
    index += 2;
  }
  const allowed = new RegExp(`^[${negated ? '^' : ''}${source}]$`, 'u');
  return (character) => allowed.test(character);
}

function literal(character: string): string {
  return /^[a-zA-Z0-9]$/.test(character) ? character : `\\u{${character.codePointAt(0)?.toString(16)}}`;
}
