import type { Json } from '@seaplane/config/values';

export interface Background {
  readonly backgroundImage: string;
  readonly filter?: string;
}

/**
 * The picture that a configuration wants behind the graph (`display.background_image`, `background_filter`). Undefined if
 * there is none, or if it is on a server that the operator has not named: the policy of the page loads nothing from there.
 */
export function backgroundOf(
  display: Json | undefined,
  origin: string,
  others: readonly string[] = [],
): Background | undefined {
  const { background_image: image, background_filter: filter } = (display ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof image !== 'string' || image === '' || !URL.canParse(image, origin)) return undefined;
  const url = new URL(image, origin);
  if (![origin, ...others].includes(url.origin) && !/^data:image\//i.test(url.href)) return undefined;
  // The text of an address has no quote or backslash of its own in a path or query; a fragment or data may.
  const text = url.href.replaceAll(/["\\\n]/g, (letter) => `%${letter.charCodeAt(0).toString(16).padStart(2, '0')}`);
  return { backgroundImage: `url("${text}")`, ...(typeof filter === 'string' && { filter }) };
}
