/** A row as a query returns it: an optional property of `T` that is absent is NULL. */
export type Row<T> = { [K in keyof T]-?: undefined extends T[K] ? Exclude<T[K], undefined> | null : T[K] };

/** A row without its NULLs. For queries whose columns are named as the properties of `T`. */
export function fromRow<T extends object>(row: Row<T>): T {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as T;
}
