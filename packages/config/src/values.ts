/** Any JSON value. Sources, params and vars are kept as users wrote them. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

/**
 * An integer too large for a JavaScript number, as made by `JSON.rawJSON`: `JSON.stringify` writes its digits. To the
 * compiler it is a JSON object; only `isRawNumber` tells them apart. `parseJson` reads it back.
 */
export type RawNumber = { readonly rawJSON: string };

/** A version of a resource: strings by key, at least one. Versions with the same pairs are equal. */
export type Version = Readonly<Record<string, string>>;

export interface MetadataField {
  readonly name: string;
  readonly value: string;
}

/** CPU in shares (1024 is one core), memory in bytes. */
export interface ContainerLimits {
  readonly cpu?: number;
  readonly memory?: number;
}
