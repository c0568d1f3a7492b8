/**
 * Leaves out what has nothing to say: undefined, `''`, 0, false, `{}` and `[]`. Concourse writes its JSON so, and fly
 * and the web interface count on it.
 */
export function withoutEmpty<T extends object>(object: T): Partial<T> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => !isEmpty(value))) as Partial<T>;
}

function isEmpty(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
  return !value;
}
