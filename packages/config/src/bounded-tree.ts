import { isRawNumber } from './text/exact-number.ts';
import type { Json } from './values.ts';

/** Deeper than anybody nests by hand. Code that walks a tree by recursion has enough stack for this. */
const DEEPEST = 200;
/** Aliases and variables repeat a text for a few bytes each. Written as JSON, every copy takes its full length. */
const MOST_TEXT = 16 * 1024 * 1024;

/** Describes how a tree exceeds the bounds of a document. Undefined: the tree is within the bounds. */
export function findExcess(tree: Json): string | undefined {
  let text = 0;
  const walk = (value: Json, depth: number): string | undefined => {
    if (depth > DEEPEST) return `the document is nested more than ${DEEPEST} levels deep`;
    if (typeof value === 'string') text += value.length;
    if (text > MOST_TEXT) return `the document has more than ${MOST_TEXT} characters of text, counting each copy`;
    if (typeof value !== 'object' || value === null || isRawNumber(value)) return undefined;
    if (Array.isArray(value)) return firstExcess(value, (item) => walk(item, depth + 1));
    return firstExcess(Object.entries(value), ([key, item]) => {
      text += key.length;
      return walk(item, depth + 1);
    });
  };
  return walk(tree, 0);
}

function firstExcess<T>(items: readonly T[], find: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const excess = find(item);
    if (excess) return excess;
  }
  return undefined;
}
