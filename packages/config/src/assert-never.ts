/** Ends a `switch` over a union. The compiler then reports a forgotten member. */
export function assertNever(value: never): never {
  throw new Error(`no case for ${JSON.stringify(value)}`);
}
