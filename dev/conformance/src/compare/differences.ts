export interface Difference {
  /** Where: keys and indices, joined by dots. */
  readonly path: string;
  readonly concourse: unknown;
  readonly ours: unknown;
}

/** Every place where two values differ. A field that only one of them has is one difference. */
export function differences(concourse: unknown, ours: unknown, path = ''): Difference[] {
  if (Object.is(concourse, ours)) return [];
  if (!isContainer(concourse) || !isContainer(ours) || Array.isArray(concourse) !== Array.isArray(ours)) {
    return [{ path, concourse, ours }];
  }
  const keys = [...new Set([...Object.keys(concourse), ...Object.keys(ours)])];
  return keys.flatMap((key) =>
    differences(member(concourse, key), member(ours, key), path === '' ? key : `${path}.${key}`),
  );
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function member(container: object, key: string): unknown {
  return Object.hasOwn(container, key) ? (container as Record<string, unknown>)[key] : undefined;
}
