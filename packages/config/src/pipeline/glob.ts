/**
 * The pattern of a group's job: `*` and `?`, `[a-z]` and `[!a-z]`, `{one,other}`, and a backslash before a character
 * that means itself. Undefined when it is not a pattern.
 */
export function compileGlob(pattern: string): RegExp | undefined {
  let source = '';
  let depth = 0;
  let rest = pattern;
  while (rest !== '') {
    const token = (/^(\\.|\*+|\[!?[^\]]*\]|[\s\S])/u.exec(rest) as RegExpExecArray)[0];
    rest = rest.slice(token.length);
    if (token.startsWith('*')) source += '[\\s\\S]*';
    else if (token === '?') source += '[\\s\\S]';
    else if (token === '{') {
      source += '(?:';
      depth++;
    } else if (token === '}' && depth > 0) {
      source += ')';
      depth--;
    } else if (token === ',' && depth > 0) source += '|';
    else if (token.startsWith('[') && token.length > 1) {
      const characters = characterClass(token, '!');
      if (characters === undefined) return undefined;
      source += characters;
    } else if (['\\', '[', ']', '}'].includes(token)) return undefined;
    else source += literal(token.startsWith('\\') ? token.slice(1) : token);
  }
  return depth === 0 ? new RegExp(`^${source}$`, 'u') : undefined;
}

/**
 * Whether a job's name matches an entry of `passed`, which is a name or a pattern of `*`, `?`, `[a-z]`, `[^a-z]` and
 * backslashes, where `*` and `?` stop at a slash. A malformed pattern matches nothing.
 */
export function matchesJob(pattern: string, name: string): boolean {
  if (pattern === name) return true;
  if (!/[*?[\\]/.test(pattern)) return false; // a plain name, as most are
  let source = '';
  let rest = pattern;
  while (rest !== '') {
    const token = (/^(\\.|\[\^?[^\]]+\]|[\s\S])/u.exec(rest) as RegExpExecArray)[0];
    rest = rest.slice(token.length);
    if (token === '*') source += '[^/]*';
    else if (token === '?') source += '[^/]';
    else if (token.startsWith('[') && token.length > 1) {
      const characters = characterClass(token, '^');
      if (characters === undefined) return false;
      source += characters;
    } else if (token === '\\' || token === '[') return false;
    else source += literal(token.startsWith('\\') ? token.slice(1) : token);
  }
  return new RegExp(`^${source}$`, 'u').test(name);
}

/** `[a-cx]` with the given sign of negation, as a regular expression. */
function characterClass(token: string, negation: string): string | undefined {
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
  return `[${negated ? '^' : ''}${source}]`;
}

function literal(character: string): string {
  return /^[a-zA-Z0-9]$/.test(character) ? character : `\\u{${character.codePointAt(0)?.toString(16)}}`;
}
