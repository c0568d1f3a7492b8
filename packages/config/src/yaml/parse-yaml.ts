import { type Document, LineCounter, type ParsedNode, parseAllDocuments } from 'yaml';
import { findExcess } from '../bounded-tree.ts';
import { ConfigError } from '../error.ts';
import type { Json } from '../values.ts';
import { readYamlNode } from './yaml-tree.ts';

/** Parses YAML that anybody may have written, without harm to this process. Throws as `parseYaml` does. */
export interface YamlParser {
  parse(text: string, signal: AbortSignal): Promise<Json>;
}

/**
 * Reads the first document of a YAML text into JSON, by the rules of Concourse's YAML reader (see yaml-scalar.ts).
 * Every key becomes a string; a key written twice in one map is an error. Throws a ConfigError that names the line.
 *
 * Time and memory grow with the text, by seconds and hundreds of megabytes for each megabyte: give a large text to a
 * {@link YamlParser}.
 */
export function parseYaml(text: string): Json {
  const tree = withoutOverflow(() => parseFirstDocument(text));
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

function parseFirstDocument(text: string): Json {
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, {
    schema: 'failsafe', // leaves every scalar as text; yaml-scalar.ts decides its value
    resolveKnownTags: false,
    merge: false,
    uniqueKeys: false,
    strict: false,
    logLevel: 'silent',
    prettyErrors: false,
    lineCounter: lines,
  });
  const document = Array.isArray(documents) ? (documents[0] as Document.Parsed<ParsedNode> | undefined) : undefined;
  if (document === undefined) return null;
  const problem = document.errors[0];
  if (problem?.code === 'RESOURCE_EXHAUSTION') throw new RangeError(problem.message); // its stack overflowed
  if (problem !== undefined) {
    throw new ConfigError('invalid-yaml', `yaml: line ${lines.linePos(problem.pos[0]).line}: ${problem.message}`);
  }
  return document.contents === null ? null : readYamlNode(document.contents, lines);
}
