import { ConfigError } from '../error.ts';
import { isJsonObject } from '../fields.ts';
import { isRawNumber } from '../text/exact-number.ts';
import { goType } from '../text/go-text.ts';
import { compareBytes } from '../text/json-text.ts';
import type { Json } from '../values.ts';
import type { Lookup } from './lookup.ts';
import {
  formatReference,
  parseReference,
  referenceNames,
  referencePattern,
  type VarReference,
  wholeReference,
} from './reference.ts';

/**
 * Replaces variables in the values and keys of a tree. A text that is one reference becomes the variable's value, of
 * whatever type; within other text only texts and numbers may be put in. With `allowMissing` a reference that is not
 * found is left as written; otherwise all missing variables are reported together. The given tree is not changed.
 */
export async function interpolate<T extends Json>(tree: T, lookup: Lookup, options: InterpolateOptions): Promise<T> {
  const values = await lookUpAll(tree, lookup);
  if (!options.allowMissing) await refuseMissing(values, options);
  return replace(tree, values) as T;
}

export interface InterpolateOptions {
  readonly allowMissing: boolean;
  /** The places where a missing variable was looked for, unless its name says it all. The message lists them. */
  readonly placesOf?: (reference: VarReference) => Promise<readonly string[]>;
}

async function refuseMissing(values: Found, { placesOf }: InterpolateOptions): Promise<void> {
  const missing = new Map<string, VarReference>();
  for (const { name, reference, value } of values.values()) if (value === undefined) missing.set(name, reference);
  if (missing.size === 0) return;
  const described: string[] = [];
  for (const [name, reference] of [...missing].sort(([a], [b]) => compareBytes(a, b))) {
    const places = (await placesOf?.(reference)) ?? [];
    described.push(places.length === 0 ? name : `${name} (looked for at ${places.join(', ')})`);
  }
  throw new ConfigError('undefined-vars', `undefined vars: ${described.join(', ')}`);
}

/** The names of all variables in a tree, without duplicates. */
export function variableNames(tree: Json): string[] {
  return [...new Set(texts(tree).flatMap(referenceNames))];
}

/** By the name as written: the canonical name, the reference, and the value. */
type Found = ReadonlyMap<string, FoundVariable>;

interface FoundVariable {
  readonly name: string;
  readonly reference: VarReference;
  readonly value: Json | undefined;
}

/** Looks each variable up once, in the order written. */
async function lookUpAll(tree: Json, lookup: Lookup): Promise<Found> {
  const found = new Map<string, FoundVariable>();
  for (const written of variableNames(tree)) {
    const reference = parseReference(written);
    found.set(written, { name: formatReference(reference), reference, value: await lookup(reference) });
  }
  return found;
}

function* walkTexts(tree: Json): Generator<string> {
  if (typeof tree === 'string') yield tree;
  else if (Array.isArray(tree)) for (const item of tree) yield* walkTexts(item);
  else if (isJsonObject(tree)) {
    for (const [key, value] of Object.entries(tree)) {
      yield* walkTexts(value);
      yield key;
    }
  }
}

function texts(tree: Json): string[] {
  return [...walkTexts(tree)];
}

function replace(tree: Json, values: Found): Json {
  if (typeof tree === 'string') return replaceInText(tree, values);
  if (Array.isArray(tree)) return tree.map((item) => replace(item, values));
  if (!isJsonObject(tree)) return tree;
  return Object.fromEntries(
    Object.entries(tree).map(([key, value]) => [replaceInKey(key, values), replace(value, values)]),
  );
}

function replaceInText(text: string, values: Found): Json {
  const whole = wholeReference(text);
  if (whole !== undefined) {
    const value = values.get(whole)?.value;
    return value === undefined ? text : value;
  }
  return text.replace(referencePattern(), (written: string, name: string) => {
    const value = values.get(name)?.value;
    return value === undefined ? written : scalarText(value, name);
  });
}

function replaceInKey(key: string, values: Found): string {
  const value = replaceInText(key, values);
  return typeof value === 'string' ? value : scalarText(value, wholeReference(key) as string);
}

function scalarText(value: Json, name: string): string {
  if (isRawNumber(value)) return value.rawJSON;
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  throw new ConfigError(
    'invalid-interpolation',
    `cannot interpolate non-primitive value (${goType(value)}) from var: ${name}`,
  );
}
