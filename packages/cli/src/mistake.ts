/** The command cannot be run as it was given. The message says what is wrong, and what there is instead. */
export class Mistake extends Error {
  override readonly name = 'Mistake';
}

/** `there are: a, b`, for a message about a name that is not known. */
export function listNames(names: readonly string[]): string {
  return names.length === 0 ? 'there are none' : `there are: ${[...new Set(names)].join(', ')}`;
}
