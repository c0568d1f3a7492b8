/** Reads an id from a path or query. Undefined if the text is not a whole number. */
export function parseId(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{1,15}$/.test(text)) return undefined;
  return Number(text);
}
