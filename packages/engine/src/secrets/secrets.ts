import type { VarReference } from '@seaplane/config';

const REDACTED = '((redacted))';

/** The values that must not be seen in a build's events, and which variables they came from. */
export interface Secrets {
  track(value: unknown): void;
  /** As {@link track}. A later walk looks the variable up again. */
  trackVariable(ref: VarReference, value: unknown): void;
  variables(): readonly VarReference[];
  knows(ref: VarReference): boolean;
  redact(text: string): string;
  /**
   * How many characters at the end of a text may be the beginning of a secret. They never begin within a whole secret.
   */
  unfinished(text: string): number;
}

/**
 * All strings in a value are secret, each line by itself, without the white space around it. A single character is not
 * secret. With `redact` off nothing is secret.
 */
export function newSecrets({ redact = true }: { readonly redact?: boolean } = {}): Secrets {
  const lines = new Set<string>();
  const variables = new Map<string, VarReference>();
  let pattern: RegExp | undefined;

  function track(value: unknown): void {
    if (!redact) return;
    for (const line of secretLines(value)) {
      if (lines.has(line)) continue;
      lines.add(line);
      pattern = undefined;
    }
  }
  return {
    track,
    trackVariable(ref, value) {
      variables.set(keyOf(ref), ref);
      track(value);
    },
    variables: () => [...variables.values()],
    knows: (ref) => variables.has(keyOf(ref)),
    redact(text) {
      if (lines.size === 0) return text;
      pattern ??= anyOf(lines);
      return text.replace(pattern, REDACTED);
    },
    unfinished(text) {
      if (lines.size === 0) return 0;
      pattern ??= anyOf(lines);
      let held = heldBack(text, lines);
      // The end of a whole secret may look like the beginning of one. It is not: `redact` replaces the whole secret
      // first.
      for (const { index, 0: secret } of text.matchAll(pattern)) {
        const end = index + secret.length;
        const from = text.length - held;
        if (index < from && from < end) held = heldBack(text.slice(end), lines);
      }
      return held;
    },
  };
}

/** The length of the longest suffix of `text` that a secret begins with. */
function heldBack(text: string, secrets: Iterable<string>): number {
  let longest = 0;
  for (const secret of secrets) longest = Math.max(longest, overlap(text, secret));
  return longest;
}

function keyOf({ source, path, fields }: VarReference): string {
  return JSON.stringify([source, path, fields]);
}

function secretLines(value: unknown): string[] {
  if (typeof value === 'string') {
    return value
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line.length > 1);
  }
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(secretLines) : [];
}

/** Longer secrets first, so that a secret that begins with another is replaced as a whole. */
function anyOf(lines: Iterable<string>): RegExp {
  const longestFirst = [...lines].sort((a, b) => b.length - a.length);
  return new RegExp(longestFirst.map((line) => line.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|'), 'g');
}

/** The length of the longest suffix of `text` that `secret` begins with and that is not all of it. */
function overlap(text: string, secret: string): number {
  for (let length = Math.min(text.length, secret.length - 1); length > 0; length--) {
    if (text.endsWith(secret.slice(0, length))) return length;
  }
  return 0;
}
