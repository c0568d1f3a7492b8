/** A flag or variable that web cannot start with. */
export class Mistake extends Error {}

/** The environment variable that means the same as a flag. */
export function variableFor(flag: string): string {
  return `SEAPLANE_${flag.toUpperCase().replaceAll('-', '_')}`;
}

/** Names both places of a setting, for a message about its value. */
export function whereSet(flag: string): string {
  return `(--${flag}, ${variableFor(flag)})`;
}
