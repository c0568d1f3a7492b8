/** Stands for this server. Its name can never be that of a real one. */
const HERE = 'http://here.invalid';
/** As often as Concourse decodes (skymarshal/skyserver). */
const MOST_DECODINGS = 5;

/**
 * The place on this server to go to after a login. Everything that a browser could take for another server, also after
 * further decoding, becomes `/`.
 */
export function safeRedirect(asked: string | undefined): string {
  let text = asked ?? '/';
  for (let i = 0; i <= MOST_DECODINGS; i += 1) {
    if (!isPathHere(text)) return '/';
    const decoded = decode(text);
    if (decoded === text) return pathOf(asked ?? '/');
    text = decoded;
  }
  return '/';
}

function isPathHere(text: string): boolean {
  if (!/^\/(?![/\\])/.test(text) || text.includes('\\')) return false;
  if (!URL.canParse(text, HERE)) return false;
  const url = new URL(text, HERE);
  // The parser removes tabs, newlines and dots, after which two slashes may stand at the start.
  return url.origin === HERE && !url.pathname.startsWith('//');
}

function pathOf(text: string): string {
  const { pathname, search, hash } = new URL(text, HERE);
  return pathname + search + hash;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a percent sign that encodes nothing
  }
}
