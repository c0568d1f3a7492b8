/** A time, in whole seconds since 1970. */
export type UnixSeconds = number;
