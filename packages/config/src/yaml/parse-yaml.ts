import { type Document, LineCounter, type ParsedNode, parseAllDocuments } from 'yaml';
import { ConfigError } from '../error.ts';
import type { Json } from '../values.ts';
import { readYamlNode } from './yaml-tree.ts';

/**
 * Reads the first document of a YAML text into JSON, by the rules of Concourse's YAML reader (see yaml-scalar.ts).
 * Every key becomes a string; a key written twice in one map is an error. Throws a ConfigError that names the line.
 */
export function parseYaml(text: string): Json {
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
  if (problem !== undefined) {
    throw new ConfigError('invalid-yaml', `yaml: line ${lines.linePos(problem.pos[0]).line}: ${problem.message}`);
  }
  return document.contents === null ? null : readYamlNode(document.contents, lines);
}
