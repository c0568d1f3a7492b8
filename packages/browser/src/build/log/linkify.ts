interface Part {
  readonly text: string;
  readonly href?: string;
}

/** Addresses of the web, without the punctuation that ends a sentence. */
const ADDRESS = /https?:\/\/[^\s<>"'`]*[^\s<>"'`.,;:!?)\]}]/gi;

/** A text in parts, of which addresses lead somewhere. With `href`, the whole text leads there. */
export function linkify(text: string, href?: string): readonly Part[] {
  if (href !== undefined) return [{ text, href }];
  const parts: Part[] = [];
  let at = 0;
  for (const match of text.matchAll(ADDRESS)) {
    if (match.index > at) parts.push({ text: text.slice(at, match.index) });
    parts.push({ text: match[0], href: match[0] });
    at = match.index + match[0].length;
  }
  if (at < text.length) parts.push({ text: text.slice(at) });
  return parts;
}
