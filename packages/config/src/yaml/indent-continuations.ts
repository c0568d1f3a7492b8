/** Deeper than any block in a document may be, so that no continuation is taken for the end of its collection. */
const DEEP = ' '.repeat(250);

type Context =
  | { readonly kind: 'block' }
  | { readonly kind: 'flow'; readonly depth: number }
  | { readonly kind: 'quoted'; readonly quote: '"' | "'"; readonly depth: number }
  /** The lines of a block scalar: those indented deeper than the column. */
  | { readonly kind: 'literal'; readonly column: number };

/**
 * Indents the further lines of lists and maps in brackets, and of quoted texts. YAML ignores that indentation, but the
 * parser refuses lines that stand at or to the left of their key, which Concourse's reader takes. Only a text that
 * could not be parsed is given here, so a construct that is not recognized does no harm.
 */
export function indentContinuations(text: string): string {
  let context: Context = { kind: 'block' };
  const lines = text.split('\n').map((line) => {
    const indent = line.search(/[^ ]|$/);
    const isBlank = line.trim() === '';
    if (context.kind === 'literal') {
      if (isBlank || indent > context.column) return line;
      context = { kind: 'block' };
    }
    const isContinuation = context.kind !== 'block';
    context = contextAfter(line, context);
    return isContinuation && !isBlank ? DEEP + line : line;
  });
  return lines.join('\n');
}

/** Reads one line and returns the context at its end. */
function contextAfter(line: string, before: Context): Context {
  let depth = before.kind === 'flow' || before.kind === 'quoted' ? before.depth : 0;
  let quote = before.kind === 'quoted' ? before.quote : undefined;
  // Quotes and brackets mean something only where a value may begin.
  let mayBegin = true;
  let column = 0;
  let key: number | undefined;
  for (let at = 0; at < line.length; at++) {
    const character = line[at] as string;
    if (quote) {
      if (quote === '"' && character === '\\') at++;
      else if (character === quote && quote === "'" && line[at + 1] === "'") at++;
      else if (character === quote) {
        quote = undefined;
        mayBegin = false;
      }
      continue;
    }
    if (character === ' ' || character === '\t') continue;
    const isAfterSpace = at === 0 || /[ \t]/.test(line[at - 1] as string);
    if (character === '#' && isAfterSpace) break;
    const endsWord = at + 1 === line.length || /[ \t\r]/.test(line[at + 1] as string);
    if (mayBegin && (character === '"' || character === "'")) {
      quote = character;
      key ??= at;
    } else if (mayBegin && (character === '[' || character === '{')) depth++;
    else if (depth > 0 && (character === ']' || character === '}')) {
      depth--;
      mayBegin = false;
    } else if (depth > 0 && character === ',') mayBegin = true;
    else if (character === ':' && (endsWord || (depth > 0 && /[,[\]{}]/.test(line[at + 1] as string)))) {
      mayBegin = true;
      if (depth === 0 && key !== undefined) column = key;
    } else if (depth === 0 && mayBegin && (character === '-' || character === '?') && endsWord) {
      column = at;
      key = undefined;
    } else if (depth === 0 && mayBegin && (character === '|' || character === '>')) return { kind: 'literal', column };
    else if (mayBegin && (character === '&' || character === '!')) {
      while (at + 1 < line.length && !/[ \t,\]}]/.test(line[at + 1] as string)) at++;
    } else {
      mayBegin = false;
      key ??= at;
    }
  }
  if (quote) return { kind: 'quoted', quote, depth };
  return depth > 0 ? { kind: 'flow', depth } : { kind: 'block' };
}
