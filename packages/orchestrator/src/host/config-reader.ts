import { HostError } from './host-error.ts';

/**
 * Reads one object of a configuration, field by field. Every complaint names the field by its path. {@link end}
 * complains about fields that nothing has read, so that a misspelt field is not silently ignored. Several functions may
 * read fields of one object: the common part of a worker's entry, and the part of its kind of host.
 */
export class ConfigReader {
  readonly #where: string;
  readonly #fields: Readonly<Record<string, unknown>>;
  readonly #read = new Set<string>();
  readonly #sections = new Map<string, ConfigReader>();

  constructor(where: string, value: unknown) {
    this.#where = where;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw wrong(where, 'must be an object', value);
    }
    this.#fields = value as Record<string, unknown>;
  }

  optional<T>(name: string, parse: (where: string, value: unknown) => T): T | undefined {
    this.#read.add(name);
    const value = this.#fields[name];
    return value === undefined || value === null ? undefined : parse(`${this.#where}.${name}`, value);
  }

  required<T>(name: string, parse: (where: string, value: unknown) => T): T {
    const value = this.optional(name, parse);
    if (value === undefined) throw new HostError('bad-config', `${this.#where}.${name} is missing`);
    return value;
  }

  /** The object in this field, for reading in turn; an absent field is an empty object. */
  section(name: string): ConfigReader {
    const known = this.#sections.get(name);
    if (known) return known;
    this.#read.add(name);
    const section = new ConfigReader(`${this.#where}.${name}`, this.#fields[name] ?? {});
    this.#sections.set(name, section);
    return section;
  }

  /** Must be called after the last field was read. */
  end(): void {
    for (const section of this.#sections.values()) section.end();
    const unknown = Object.keys(this.#fields).filter((name) => !this.#read.has(name));
    if (unknown.length === 0) return;
    const known = [...this.#read].sort().join(', ');
    throw new HostError('bad-config', `${this.#where} has no field ${unknown.join(', ')}; it has: ${known}`);
  }
}

export function text(where: string, value: unknown): string {
  if (typeof value !== 'string' || value === '') throw wrong(where, 'must be a text', value);
  return value;
}

export function flag(where: string, value: unknown): boolean {
  if (typeof value !== 'boolean') throw wrong(where, 'must be true or false', value);
  return value;
}

export function count(where: string, value: unknown): number {
  if (!Number.isSafeInteger(value) || (value as number) < 0) throw wrong(where, 'must be a whole number', value);
  return value as number;
}

export function oneOf<const T extends string>(...choices: readonly T[]): (where: string, value: unknown) => T {
  return (where, value) => {
    if (!(choices as readonly unknown[]).includes(value)) throw wrong(where, `must be ${choices.join(' or ')}`, value);
    return value as T;
  };
}

export function listOf<T>(parse: (where: string, value: unknown) => T): (where: string, value: unknown) => T[] {
  return (where, value) => {
    if (!Array.isArray(value)) throw wrong(where, 'must be a list', value);
    return value.map((item, index) => parse(`${where}[${index}]`, item));
  };
}

export function mapOf<T>(
  parse: (where: string, value: unknown) => T,
): (where: string, value: unknown) => Record<string, T> {
  return (where, value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong(where, 'must be a map', value);
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, parse(`${where}.${key}`, item)]));
  };
}

/** A complaint about a value. The value is not shown: it may be a secret in the wrong field. */
export function wrong(where: string, what: string, value: unknown): HostError {
  const kind = value === null ? 'null' : Array.isArray(value) ? 'a list' : typeof value;
  return new HostError('bad-config', `${where} ${what} (it is ${kind})`);
}
