import { Composer, type Document, LineCounter, type ParsedNode, Parser } from 'yaml';
import { findExcess } from '../bounded-tree.ts';
import { ConfigError } from '../error.ts';
import type { Json } from '../values.ts';
import { indentContinuations } from './indent-continuations.ts';
import { readYamlNode } from './yaml-tree.ts';

/** Parses YAML that anybody may have written, without harm to this process. Throws as `parseYaml` does. */
export interface YamlParser {
  parse(text: string, signal: AbortSignal, options?: YamlOptions): Promise<Json>;
}

export interface YamlOptions {
  /** The last of several equal keys of a map wins, as in task files. By default a key written twice is an error. */
  readonly lastKeyWins?: boolean;
}

/** Characters that YAML does not allow in a document, even in quotes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to refuse
const FORBIDDEN = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]/;

/** The text of a YAML file. Throws a ConfigError if the bytes are not UTF-8 (or UTF-16 with a byte order mark). */
export function decodeYaml(bytes: Uint8Array): string {
  const mark = (bytes[0] ?? 0) * 256 + (bytes[1] ?? 0);
  const encoding = mark === 0xfffe ? 'utf-16le' : mark === 0xfeff ? 'utf-16be' : 'utf-8';
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new ConfigError('invalid-yaml', 'yaml: the text is not UTF-8', { cause });
  }
}

/** YAML 1.1, which Concourse reads, ends a line also with a lone carriage return or NEL. */
const OTHER_LINE_END = /\r(?!\n)|\u0085/g;

/**
 * Reads the first document of a YAML text into JSON, by the rules of Concourse's YAML reader (see yaml-scalar.ts).
 * Every key becomes a string. Throws a ConfigError that names the line.
 *
 * Time and memory grow with the text, by seconds and hundreds of megabytes for each megabyte: give a large text to a
 * {@link YamlParser}.
 */
export function parseYaml(text: string, options: YamlOptions = {}): Json {
  if (FORBIDDEN.test(text)) throw new ConfigError('invalid-yaml', 'yaml: control characters are not allowed');
  const tree = withoutOverflow(() => parseFirstDocument(text.replace(OTHER_LINE_END, '\n'), options));
  const excess = findExcess(tree);
  if (excess) throw new ConfigError('invalid-yaml', `yaml: ${excess}`);
  return tree;
}

/** The parser and the reader recurse once for each level of the document. */
function withoutOverflow(parse: () => Json): Json {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ConfigError('invalid-yaml', 'yaml: the document is nested too deeply', { cause: error });
  }
}

function parseFirstDocument(text: string, options: YamlOptions): Json {
  const lines = new LineCounter();
  const document = firstDocument(text, lines);
  if (document === undefined) return null;
  const problem = document.errors[0];
  if (problem === undefined) {
    return document.contents === null ? null : readYamlNode(document.contents, { ...options, text, lines });
  }
  if (problem.code === 'RESOURCE_EXHAUSTION') throw new RangeError(problem.message); // its stack overflowed
  // Concourse's reader takes lists and quoted texts whose further lines are indented less than this parser wants.
  const indented = indentContinuations(text);
  const again = indented === text ? undefined : firstDocument(indented, new LineCounter());
  if (again?.contents && again.errors.length === 0) {
    return readYamlNode(again.contents, { ...options, text: indented, lines });
  }
  throw new ConfigError('invalid-yaml', `yaml: line ${lines.linePos(problem.pos[0]).line}: ${problem.message}`);
}

/** Anything after the first document is not read. */
function firstDocument(text: string, lines: LineCounter): Document.Parsed<ParsedNode> | undefined {
  const composer = new Composer<ParsedNode>({
    schema: 'failsafe', // leaves every scalar as text; yaml-scalar.ts decides its value
    resolveKnownTags: false,
    merge: false,
    uniqueKeys: false,
    strict: false,
    logLevel: 'silent',
    prettyErrors: false,
  });
  const tokens = new Parser(lines.addNewLine).parse(text);
  for (const document of composer.compose(tokens)) return document as Document.Parsed<ParsedNode>;
  return undefined;
}
