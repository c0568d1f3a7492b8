// valibot leaves out some keys of a map, such as `prototype`, and takes keys that all objects inherit for known ones.
// So these keys are read under another name.

const ESCAPE = '\0';

/** The fields of an object under names that valibot takes as they are. */
export function withSafeNames(object: object): object {
  return renamed(object, (key) => (isUnsafe(key) ? ESCAPE + key : key));
}

export function withOwnNames<T extends object>(object: T): T {
  return renamed(object, ownName) as T;
}

export function ownName(key: string): string {
  return key.startsWith(ESCAPE) ? key.slice(ESCAPE.length) : key;
}

/**
 * The same, and a field whose name differs from a known one by upper and lower case gets the known name. Go's JSON reader
 * does so. A field with exactly the known name wins.
 */
export function withKnownNames(object: object, known: ReadonlySet<string>): object {
  return renamed(object, (key) => {
    if (known.has(key)) return key;
    const folded = key.toLowerCase();
    if (known.has(folded)) return Object.hasOwn(object, folded) ? undefined : folded;
    return isUnsafe(key) ? ESCAPE + key : key;
  });
}

function isUnsafe(key: string): boolean {
  return key in Object.prototype || key === 'prototype' || key.startsWith(ESCAPE);
}

/** Leaves out the fields whose new name is undefined. */
function renamed(object: object, rename: (key: string) => string | undefined): object {
  const entries = Object.entries(object);
  if (entries.every(([key]) => rename(key) === key)) return object;
  return Object.fromEntries(
    entries.flatMap(([key, value]) => {
      const name = rename(key);
      return name === undefined ? [] : [[name, value]];
    }),
  );
}
