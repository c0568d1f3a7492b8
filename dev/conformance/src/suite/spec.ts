/** One spec of the suite, known before anything runs. */
export interface Spec {
  /** Ginkgo's text, with ` (2)` behind the second of two specs with the same text: unique. */
  readonly name: string;
  /** The text that Ginkgo matches its focus against: the texts of the containers and of the spec, joined by spaces. */
  readonly text: string;
  /** The test file's name, without its directory. */
  readonly file: string;
  readonly line: number;
}

/** Numbers specs that share their text in the order they stand in. */
export function nameSpecs(specs: readonly Omit<Spec, 'name'>[]): Spec[] {
  const seen = new Map<string, number>();
  return [...specs]
    .sort((a, b) => (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1))
    .map((spec) => {
      const count = (seen.get(spec.text) ?? 0) + 1;
      seen.set(spec.text, count);
      return { ...spec, name: count === 1 ? spec.text : `${spec.text} (${count})` };
    });
}

/** The specs whose name or file the pattern matches; all of them without a pattern. */
export function selectSpecs(specs: readonly Spec[], focus: RegExp | undefined): Spec[] {
  if (!focus) return [...specs];
  return specs.filter(({ name, file }) => focus.test(name) || focus.test(file));
}

/** The pattern that makes Ginkgo run exactly these specs (and those that share a text with one of them). */
export function ginkgoFocus(suiteDescription: string, specs: readonly Spec[]): string {
  const texts = [...new Set(specs.map(({ text }) => escapePattern(text)))];
  return `^${escapePattern(suiteDescription)} (?:${texts.join('|')})$`;
}

/** For Go's regular expressions, which refuse an escaped character that needs no escape. */
function escapePattern(text: string): string {
  return text.replace(/[\\.+*?()|[\]{}^$]/g, '\\$&');
}
