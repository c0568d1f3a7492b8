import { isRecord } from './request.ts';

/** Reads values of `source` and `params`. A value of another kind is an error that names the field. */
export class Fields {
  readonly #where: string;
  readonly #values: Readonly<Record<string, unknown>>;

  constructor(where: string, values: Readonly<Record<string, unknown>>) {
    this.#where = where;
    this.#values = values;
  }

  /** Numbers and booleans count as texts, since YAML reads `1.2` and `true` as such. */
  text(name: string): string | undefined {
    const value = this.#values[name];
    if (value === undefined || value === null) return undefined;
    if (typeof value === 'string') return value === '' ? undefined : value;
    if (typeof value === 'number' || typeof value === 'boolean') return String(value);
    throw this.#wrong(name, 'a text');
  }

  need(name: string): string {
    const found = this.text(name);
    if (found === undefined) throw new Error(`${this.#where}.${name} is required`);
    return found;
  }

  flag(name: string): boolean {
    return this.optionalFlag(name) ?? false;
  }

  optionalFlag(name: string): boolean | undefined {
    const value = this.#values[name];
    if (value === undefined || value === null || value === '') return undefined;
    if (value === true || value === 'true') return true;
    if (value === false || value === 'false') return false;
    throw this.#wrong(name, 'true or false');
  }

  count(name: string): number | undefined {
    const value = this.#values[name];
    if (value === undefined || value === null) return undefined;
    const number = Number(value);
    if (!Number.isSafeInteger(number) || number < 0) throw this.#wrong(name, 'a whole number');
    return number;
  }

  texts(name: string): string[] {
    const value = this.#values[name] ?? [];
    if (!Array.isArray(value) || value.some((item) => typeof item !== 'string'))
      throw this.#wrong(name, 'a list of texts');
    return value as string[];
  }

  records(name: string): Fields[] {
    const value = this.#values[name] ?? [];
    if (!Array.isArray(value) || !value.every(isRecord)) throw this.#wrong(name, 'a list of objects');
    return value.map((item, i) => new Fields(`${this.#where}.${name}[${i}]`, item));
  }

  record(name: string): Fields | undefined {
    const value = this.#values[name];
    if (value === undefined || value === null) return undefined;
    if (!isRecord(value)) throw this.#wrong(name, 'an object');
    return new Fields(`${this.#where}.${name}`, value);
  }

  has(name: string): boolean {
    const value = this.#values[name];
    return value !== undefined && value !== null && value !== '' && value !== false;
  }

  /** A field that nobody reads is a typing error, or a wish that would be ignored. */
  allow(known: readonly string[], unsupported: readonly string[] = []): void {
    for (const name of Object.keys(this.#values)) {
      if (unsupported.includes(name) && this.has(name)) {
        throw new Error(
          `${this.#where}.${name} needs the published image of this type: the built-in type does not know it`,
        );
      }
      if (!known.includes(name) && !unsupported.includes(name)) throw new Error(`unknown field ${this.#where}.${name}`);
    }
  }

  #wrong(name: string, wanted: string): Error {
    return new Error(`${this.#where}.${name} must be ${wanted}`);
  }
}
