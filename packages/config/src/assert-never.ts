/** Ends a `switch` over a union: the compiler then refuses a member that was forgotten. */
export function assertNever(value: never): never {
  throw new Error(`no case for ${JSON.stringify(value)}`);
}
