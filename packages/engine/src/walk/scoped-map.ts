/**
 * Names with their values, in a scope. Reads fall through to the scope around it; writes stay. An `across` iteration and
 * the fetching of an image have a scope of their own.
 */
export interface ScopedMap<T> {
  get(name: string): T | undefined;
  has(name: string): boolean;
  set(name: string, value: T): void;
  /** Everything visible from here. */
  all(): ReadonlyMap<string, T>;
}

export function scopedMap<T>(parent?: ScopedMap<T>): ScopedMap<T> {
  const own = new Map<string, T>();
  return {
    get: (name) => (own.has(name) ? own.get(name) : parent?.get(name)),
    has: (name) => own.has(name) || (parent?.has(name) ?? false),
    set: (name, value) => void own.set(name, value),
    all: () => new Map([...(parent?.all() ?? []), ...own]),
  };
}
