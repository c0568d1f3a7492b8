import { KubernetesError } from './kubernetes-error.ts';

/**
 * Reads one object of a configuration, field by field. Every complaint names the field by its path; {@link end}
 * complains about fields nobody asked for, so that a misspelt one is not silently ignored.
 */
export class ConfigReader {
  readonly #where: string;
  readonly #fields: Readonly<Record<string, unknown>>;
  readonly #read = new Set<string>();

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
    if (value === undefined) throw new KubernetesError('bad-target', `${this.#where}.${name} is missing`);
    return value;
  }

  /** Must be called after the last field was read. */
  end(): void {
    const unknown = Object.keys(this.#fields).filter((name) => !this.#read.has(name));
    if (unknown.length === 0) return;
    const known = [...this.#read].sort().join(', ');
    throw new KubernetesError('bad-target', `${this.#where} has no field ${unknown.join(', ')}; it has: ${known}`);
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

/** An object of the Kubernetes API, which the API server itself will judge. */
export function kubernetesObject<T extends object>(where: string, value: unknown): T {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw wrong(where, 'must be an object', value);
  }
  return value as T;
}

/** The value itself is not shown: somebody may have put a secret into the wrong field. */
export function wrong(where: string, what: string, value: unknown): KubernetesError {
  const kind = value === null ? 'null' : Array.isArray(value) ? 'a list' : typeof value;
  return new KubernetesError('bad-target', `${where} ${what} (it is ${kind})`);
}
