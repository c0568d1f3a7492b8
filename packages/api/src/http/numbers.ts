/** A whole number of a path or query, or undefined: the ids of this API. */
export function parseId(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{1,15}$/.test(text)) return undefined;
  return Number(text);
}
