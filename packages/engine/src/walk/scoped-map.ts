/**
 * Names and their values in a scope. A name that the scope does not have is read from the scope around it; writes stay
 * in the scope. Each iteration of an `across` and each fetch of an image has a scope of its own.
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
