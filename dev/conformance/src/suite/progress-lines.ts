import type { Spec } from './spec.ts';

export interface EndedSpec {
  readonly name: string;
  /** Ginkgo's word: PASSED, FAILED, SKIPPED, TIMEDOUT, PANICKED ... */
  readonly how: string;
  readonly seconds: number;
}

const HEADER = /^(?:•|S|P) (?:\[([A-Z]+)!?\] )?\[([\d.]+) seconds\]$/;
const NODE_TYPE = /\[(?:It|BeforeEach|JustBeforeEach|AfterEach|JustAfterEach|DeferCleanup \(.*?\))\] ?/g;

/**
 * Reads the specs that end out of what `ginkgo -v --no-color` prints, line by line. In parallel a line with the state
 * and the time comes first and the spec's text next; in one process the text of a spec is printed when it starts, and
 * again at its end only if it did not pass.
 */
export function progressReader(specs: readonly Spec[], onEnd: (ended: EndedSpec) => void): (line: string) => void {
  const nameOf = new Map(specs.map(({ text, name }) => [normalise(text), name]));
  let started: string | undefined;
  let header: Omit<EndedSpec, 'name'> | undefined;
  return (line) => {
    const name = nameOf.get(normalise(line));
    if (header) {
      const ended = name ?? started;
      if (ended) onEnd({ name: ended, ...header });
      header = undefined;
      started = undefined;
      if (name) return;
    }
    const match = HEADER.exec(line);
    if (match) header = { how: match[1] ?? 'PASSED', seconds: Number(match[2]) };
    else if (name) started = name;
  };
}

/** Ginkgo marks in the text of a failed spec in which kind of node it failed. */
function normalise(text: string): string {
  return text
    .replace(/^TOP-LEVEL /, '')
    .replace(NODE_TYPE, '')
    .replace(/\s+/g, ' ')
    .trim();
}
