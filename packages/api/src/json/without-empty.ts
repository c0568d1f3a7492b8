/**
 * The fields of an answer that may be left out, each with its value or undefined. Passed to `withoutEmpty` as its type
 * argument, it makes the compiler check that the answer gets exactly these fields.
 */
export type OptionalFields<Answer> = {
  readonly [K in keyof Answer as Record<never, never> extends Pick<Answer, K> ? K : never]-?: Answer[K] | undefined;
};

type WithoutUndefined<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };

/**
 * Leaves out fields that are empty: undefined, null, `''`, 0, false, `{}` and `[]`. Concourse writes its JSON this way,
 * and fly and the web interface count on it.
 */
export function withoutEmpty<T extends object>(fields: T): WithoutUndefined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value))) as WithoutUndefined<T>;
}

function isEmpty(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
  return !value;
}
