import * as v from 'valibot';
import type { ConfigError } from './error.ts';
import { ownName, withKnownNames, withOwnNames, withSafeNames } from './field-names.ts';
import { canonicalDuration } from './text/duration.ts';
import { isRawNumber } from './text/exact-number.ts';
import { float32Text } from './text/float-text.ts';
import { compareBytes, goJsonText } from './text/json-text.ts';
import type { Json, JsonObject } from './values.ts';

// The schemas of a configuration's fields. They follow Go's JSON reader, which Concourse uses: null is the same as
// absent, no field is required, and a value of the wrong type is an error.

/** The message about a value of the wrong type. */
function mismatch(type: string): (issue: { readonly input: unknown }) => string {
  return ({ input }) => {
    const number = typeof input === 'number' && type === 'int' ? ` ${input}` : '';
    return `json: cannot unmarshal ${jsonKind(input)}${number} into a field of type ${type}`;
  };
}

export function jsonKind(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number' || isRawNumber(value)) return 'number';
  if (typeof value === 'string') return 'string';
  return Array.isArray(value) ? 'array' : 'object';
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);
}

/** Only text. */
export const string = v.custom<string>((value) => typeof value === 'string', mismatch('string'));

/** Text, or a number or boolean that stands for its text. Allowed outside of steps. */
export const looseString = v.pipe(
  v.custom<string | number | boolean | { rawJSON: string }>(
    (value) => ['string', 'number', 'boolean'].includes(typeof value) || isRawNumber(value),
    mismatch('string'),
  ),
  v.transform(scalarText),
);

function scalarText(value: string | number | boolean | { readonly rawJSON: string }): string {
  if (isRawNumber(value)) return value.rawJSON;
  return typeof value === 'number' && !Number.isInteger(value) ? float32Text(value) : String(value);
}

export const boolean = v.custom<boolean>((value) => typeof value === 'boolean', mismatch('bool'));

export const integer = v.custom<number>((value) => Number.isSafeInteger(value), mismatch('int'));

/** Any value, unchanged. */
export const json = v.custom<Json>(() => true);

export const jsonObject = v.custom<JsonObject>(isJsonObject, mismatch('map'));

type Schema<T> = v.GenericSchema<unknown, T>;

export function list<T>(item: Schema<T>, whenNull?: unknown) {
  return v.array(whenNull === undefined ? item : v.nullish(item, whenNull as never), mismatch('list'));
}

/** A list of texts; null is the empty text. */
export function strings(item: Schema<string>) {
  return list(item, '');
}

export function stringMap(item: Schema<string>) {
  return v.pipe(
    v.custom<object>(isJsonObject, mismatch('map')), // valibot accepts a list as a map
    v.transform(withSafeNames),
    v.record(v.string(), v.nullish(item, '')),
    v.transform(withOwnNames),
  );
}

/** Worker tags, without empty ones. */
export const tags = v.pipe(
  strings(string),
  v.transform((all) => all.filter((tag) => tag !== '')),
);

/** The params of a task. Every value becomes text, because the environment holds only text. */
export const environment = v.pipe(
  jsonObject,
  v.transform((env) => Object.fromEntries(Object.entries(env).map(([key, value]) => [key, environmentText(value)]))),
);

function environmentText(value: Json): string {
  if (value === null) return '';
  return typeof value === 'string' ? value : goJsonText(value);
}

export const checkEvery = v.pipe(
  v.custom<string>((value) => typeof value === 'string', 'non-string value provided'),
  v.rawTransform<string, string>(({ dataset, addIssue, NEVER }) => {
    const text = dataset.value;
    if (text === '' || text === 'never') return text;
    try {
      const canonical = canonicalDuration(text);
      return canonical === '0s' ? '' : canonical;
    } catch (error) {
      addIssue({ message: (error as ConfigError).message });
      return NEVER;
    }
  }),
);

/** A field that is absent when it is empty, as in the JSON of a configuration. */
export function omit<T>(schema: Schema<T>) {
  return v.pipe(
    v.nullish(schema),
    v.transform((value) => (value === undefined || value === null || isEmpty(value) ? undefined : value)),
  );
}

/** A field that is absent only when it was not written. */
export function keep<T>(schema: Schema<T>) {
  return v.pipe(
    v.nullish(schema),
    v.transform((value) => value ?? undefined),
  );
}

/** A name. An absent name is the empty text, which validation reports. */
export function name(schema: Schema<string>) {
  return v.nullish(schema, '');
}

function isEmpty(value: unknown): boolean {
  if (value === '' || value === 0 || value === false) return true;
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return false;
  return Object.keys(value).length === 0;
}

export type Present<T> = Flat<
  { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
    [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
  }
>;
type Flat<T> = { readonly [K in keyof T]: T[K] };

/** An object without the fields that are undefined. */
export function present<T extends object>(object: T): Present<T> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as Present<T>;
}

/** valibot accepts a list as an object. */
const anyObject = v.custom<object>(isJsonObject, mismatch('object'));

/** The fields that entries read. */
export type FieldsOf<E extends v.ObjectEntries> = Present<v.InferOutput<v.ObjectSchema<E, undefined>>>;
type ObjectSchema<E extends v.ObjectEntries> = Schema<FieldsOf<E>>;

/** An object in which an unknown field is an error. The case of names does not matter. */
export function strictObject<E extends v.ObjectEntries>(entries: E): ObjectSchema<E> {
  return v.pipe(knownFields(entries), v.strictObject(entries, objectMessage), v.transform(present));
}

function knownFields(entries: v.ObjectEntries) {
  const known = new Set(Object.keys(entries));
  return v.pipe(
    anyObject,
    v.transform((object) => withKnownNames(object, known)),
  );
}

/** An object in which unknown fields are dropped. The case of names does not matter. */
export function lenientObject<E extends v.ObjectEntries>(entries: E): ObjectSchema<E> {
  return v.pipe(knownFields(entries), v.object(entries, objectMessage), v.transform(present));
}

/** An object whose unknown fields are returned separately, for validation. The case of names matters. */
export function looseObject<E extends v.ObjectEntries>(entries: E) {
  return v.pipe(
    anyObject,
    v.transform(withSafeNames),
    v.looseObject(entries, objectMessage),
    v.transform((object) => {
      const fields = Object.entries(object);
      const known = Object.fromEntries(fields.filter(([key]) => Object.hasOwn(entries, key)));
      const unknown = fields.map(([key]) => ownName(key)).filter((key) => !Object.hasOwn(entries, key));
      return {
        known: present(known) as unknown as FieldsOf<E>,
        unknown: unknown.sort(compareBytes),
      };
    }),
  );
}

function objectMessage(issue: v.BaseIssue<unknown>): string {
  const key = JSON.stringify(ownName(String(issue.path?.at(-1)?.key)));
  return issue.expected === 'never' ? `json: unknown field ${key}` : `field ${key} is missing`;
}
