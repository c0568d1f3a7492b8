const MAX_LENGTH = 300;

/** Escape sequences of a terminal: colours, cursor movement, titles. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are control characters
const ANSI = /\u001b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\u0007]*\u0007|[@-Z\\-_])/g;

/** Texts that differ from run to run or from machine to machine, and their replacements. The order matters. */
const VOLATILE: readonly (readonly [RegExp, string])[] = [
  [/\btf-pipeline-\d+-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'PIPELINE'],
  [/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi, 'UUID'],
  [/\b\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?/g, 'TIME'],
  [/\b\d\d:\d\d:\d\d(?:\.\d+)?\b/g, 'TIME'],
  [/\bhttps?:\/\/(?:\[[0-9a-f:]+\]|[\w.-]+):\d+/gi, 'URL'],
  [/\b\d{1,3}(?:\.\d{1,3}){3}:\d+\b/g, 'ADDRESS'],
  [/\bbuild(s\/| )\d+\b/g, 'build$1N'],
  [/\b0x[0-9a-f]{6,}\b/gi, 'POINTER'],
  [/\/tmp\/build\/[0-9a-f]{8}\b/g, 'WORKDIR'],
  // A path on this machine (one inside a container is the same everywhere) keeps its last name.
  [/(?<!\w)\/(?:root|home|Users|tmp|var|private)\/(?:[\w.@+-]+\/)*(?=[\w.@+-])/g, ''],
  [/\b(\d+)\.\d+(?=\s?(?:s|ms|seconds)\b)/g, '$1'],
];

/** Takes a program's whole output and memory dumps out of a Gomega message: they are long and never the same. */
export function condenseMessage(message: string): string {
  const expectation = message.lastIndexOf('\nExpected\n');
  const withoutOutput = message.startsWith('Output: ') && expectation > 0 ? message.slice(expectation) : message;
  return withoutOutput
    .replace(/Got stuck at:\n[\s\S]*\nWaiting for:\n/, 'it did not print: ')
    .replace(/<(\*[\w.]+) \| 0x[0-9a-f]+>: \{[\s\S]*?\n {4}\}/g, '<$1>');
}

/** One line without colours, times, identifiers and machine paths, so that the next run's reads the same. */
export function cleanReason(text: string): string {
  let line = text.replace(ANSI, '').replace(/\s+/g, ' ').trim();
  for (const [pattern, stand] of VOLATILE) line = line.replace(pattern, stand);
  return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH - 3).trimEnd()}...` : line;
}
