import {
  type Alias,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type LineCounter,
  type ParsedNode,
  type Scalar,
  type YAMLMap,
} from 'yaml';
import { ConfigError } from '../error.ts';
import { isRawNumber } from '../text/exact-number.ts';
import { float32Text } from '../text/float-text.ts';
import type { Json } from '../values.ts';
import { plainScalar, taggedScalar } from './yaml-scalar.ts';

type Node = ParsedNode | null;

export interface YamlSource {
  /** The whole text. */
  readonly text: string;
  readonly lines: LineCounter;
  readonly lastKeyWins?: boolean;
}

/** Turns a parsed YAML node into JSON: aliases are copied, `<<` is merged, keys become strings. */
export function readYamlNode(root: ParsedNode, source: YamlSource): Json {
  return new YamlReader(root, source).read(root);
}

/** The state of one reading: the targets of aliases, and how much they have multiplied the document. */
class YamlReader {
  readonly #lines: LineCounter;
  readonly #lastKeyWins: boolean;
  /** A block scalar that ends here has no newline at its end. -1: the last line is complete, or blank. */
  readonly #openEnd: number;
  readonly #targets = new Map<Alias, ParsedNode>();
  readonly #open = new Set<Alias>();
  #read = 0;
  #readInAliases = 0;

  constructor(root: ParsedNode, { text, lines, lastKeyWins = false }: YamlSource) {
    this.#lines = lines;
    this.#lastKeyWins = lastKeyWins;
    this.#openEnd = isBlank(lastLine(text)) ? -1 : text.length;
    this.#bind(root, new Map());
  }

  read(node: Node): Json {
    this.#count();
    if (node === null) return null;
    if (isAlias(node)) return this.#readAlias(node);
    if (isSeq(node)) return node.items.map((item) => this.read(item as Node));
    if (isMap(node)) {
      const pairs = new Map<string, Json>();
      this.#readMap(node, pairs);
      return Object.fromEntries(pairs);
    }
    return this.#readScalar(node);
  }

  #readScalar(node: ParsedNode): Json {
    const text = isScalar(node) ? this.#scalarText(node) : '';
    // Only an escape such as "\ud83d" can write half of a character, and no file or database can hold it.
    if (!text.isWellFormed()) throw this.#failure(node, 'found invalid Unicode character escape code');
    try {
      if (node.tag !== undefined) return taggedScalar(node.tag.replace(/^tag:yaml\.org,2002:/, ''), text);
      return isScalar(node) && node.type === 'PLAIN' ? plainScalar(text) : text;
    } catch (error) {
      throw error instanceof ConfigError ? this.#failure(node, error.message) : error;
    }
  }

  /** The parser ends every block scalar with a newline, also if the file has none at its end. */
  #scalarText(node: Scalar.Parsed): string {
    const text = String(node.value ?? '');
    const isOpen = node.type?.startsWith('BLOCK_') && node.range[1] === this.#openEnd;
    return isOpen && text.endsWith('\n') ? text.slice(0, -1) : text;
  }

  #readAlias(alias: Alias.Parsed): Json {
    return this.#within(alias, (target) => this.read(target));
  }

  #within<T>(alias: Alias, use: (target: ParsedNode) => T): T {
    const target = this.#targets.get(alias) as ParsedNode;
    if (this.#open.has(alias)) throw this.#failure(target, `anchor '${alias.source}' value contains itself`);
    this.#open.add(alias);
    try {
      return use(target);
    } finally {
      this.#open.delete(alias);
    }
  }

  /**
   * Pairs are set in the order written, so a merge replaces keys before it, and a key after a merge replaces the merged
   * one.
   */
  #readMap(node: YAMLMap, into: Map<string, Json>): void {
    const own = new Set<string>();
    for (const pair of node.items) {
      const keyNode = pair.key as ParsedNode;
      const valueNode = pair.value as Node;
      if (isScalar(keyNode) && keyNode.value === '<<') {
        this.#merge(valueNode, keyNode, into);
        continue;
      }
      const key = this.#readKey(keyNode);
      if (own.has(key) && !this.#lastKeyWins) throw this.#duplicate(valueNode ?? keyNode, key);
      own.add(key);
      into.set(key, this.read(valueNode));
    }
  }

  /** In a list of maps, earlier maps win. */
  #merge(node: Node, keyNode: ParsedNode, into: Map<string, Json>): void {
    if (isSeq(node)) {
      for (const item of node.items.toReversed()) this.#mergeMap(item as Node, keyNode, into);
    } else this.#mergeMap(node, keyNode, into);
  }

  #mergeMap(node: Node, keyNode: ParsedNode, into: Map<string, Json>): void {
    if (isAlias(node)) {
      this.#within(node, (target) => this.#mergeMap(isAlias(target) ? null : target, node, into));
      return;
    }
    if (!isMap(node)) throw this.#failure(node ?? keyNode, 'map merge requires map or sequence of maps as the value');
    this.#count();
    this.#readMap(node, into);
  }

  #readKey(node: ParsedNode): string {
    const key = this.read(node);
    if (typeof key === 'string') return key;
    if (typeof key === 'boolean') return String(key);
    if (typeof key === 'number') return Number.isInteger(key) ? String(key) : float32Text(key);
    if (isRawNumber(key)) return key.rawJSON;
    const what = key === null ? 'null' : Array.isArray(key) ? 'a list' : 'a map';
    throw this.#failure(node, `a map key must be text, a number or a boolean, not ${what}`);
  }

  /** Finds the target of each alias: the last anchor of that name before it. */
  #bind(node: Node, anchors: Map<string, ParsedNode>): void {
    if (node === null) return;
    if (isAlias(node)) {
      const target = anchors.get(node.source);
      if (target === undefined) throw this.#failure(node, `unknown anchor '${node.source}' referenced`);
      this.#targets.set(node, target);
      return;
    }
    if (node.anchor !== undefined) anchors.set(node.anchor, node);
    if (isSeq(node)) for (const item of node.items) this.#bind(item as Node, anchors);
    if (isMap(node)) {
      for (const pair of node.items) {
        this.#bind(pair.key as Node, anchors);
        this.#bind(pair.value as Node, anchors);
      }
    }
  }

  /** Refuses a document whose aliases multiply it without bound. The limits are those of Concourse's reader. */
  #count(): void {
    this.#read++;
    if (this.#open.size > 0) this.#readInAliases++;
    if (this.#readInAliases <= 100 || this.#read <= 1000) return;
    if (this.#readInAliases / this.#read > allowedAliasShare(this.#read)) {
      throw new ConfigError('invalid-yaml', 'yaml: document contains excessive aliasing');
    }
  }

  #duplicate(node: ParsedNode, key: string): ConfigError {
    const line = this.#lines.linePos(node.range[0]).line;
    return new ConfigError(
      'invalid-yaml',
      `yaml: unmarshal errors:\n  line ${line}: key ${JSON.stringify(key)} already set in map`,
    );
  }

  #failure(node: ParsedNode, message: string): ConfigError {
    return new ConfigError('invalid-yaml', `yaml: line ${this.#lines.linePos(node.range[0]).line}: ${message}`);
  }
}

/** A small document may be almost all aliases. From 400,000 to 4,000,000 nodes the allowed share falls to a tenth. */
function allowedAliasShare(read: number): number {
  const from = 400_000;
  const to = 4_000_000;
  if (read <= from) return 0.99;
  if (read >= to) return 0.1;
  return 0.99 - 0.89 * ((read - from) / (to - from));
}

/** Looks from the end, so that long lines before it cost nothing. */
function lastLine(text: string): string {
  return text.slice(Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1);
}

function isBlank(line: string): boolean {
  return /^[ \t]*$/.test(line);
}
