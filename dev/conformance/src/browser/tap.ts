/** A test of the suite that has ended. */
export interface EndedTest {
  /** `build › shows abort hooks`. */
  readonly name: string;
  readonly passed: boolean;
}

/** Reads a line of TAP, which ava prints. Undefined if no test ended with it. */
export function readTapLine(line: string): EndedTest | undefined {
  const [, not, name] = /^(not )?ok \d+ - (.+)$/.exec(line) ?? [];
  return name === undefined ? undefined : { name, passed: not === undefined };
}
