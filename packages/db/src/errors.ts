export type DbErrorCode =
  /** There are no PostgreSQL binaries for this platform. */
  | 'platform-unsupported'
  /** There are binaries, but they do not run here. */
  | 'binaries-unusable'
  /** PostgreSQL's directory cannot be created, read or written by the user it runs as. */
  | 'directory-unusable'
  | 'directory-in-use'
  | 'disk-full'
  /** The data was written by another major version of PostgreSQL. */
  | 'other-major-version'
  /** The embedded server did not start; the message has the end of its log. */
  | 'server-failed'
  | 'url-invalid'
  | 'unreachable'
  /** A connection broke, none could be made, or the server cannot serve. The operation may be repeated. */
  | 'connection-lost'
  /** All connections to the database were in use for too long. The operation was not begun. */
  | 'pool-busy'
  /** The server refused us: password, role or database. */
  | 'access-denied'
  /** The server answers, but Seaplane cannot use it: too old, read-only, wrong encoding. */
  | 'server-unsuitable'
  /** The schema was made by a newer Seaplane than this one. */
  | 'database-newer'
  /** An applied migration differs from the program's. */
  | 'migration-changed'
  | 'migration-failed'
  /** Something is encrypted with a key that this server does not have. */
  | 'key-missing'
  /** Something was changed after it was encrypted. */
  | 'sealed-damaged'
  /** Another web runs this build now, and this web's writes are refused. */
  | 'build-taken-over'
  /** The build has ended, and its journal is closed. */
  | 'build-ended'
  /** The object does not exist, or no longer. */
  | 'not-found'
  /** The pipeline was set, and no longer has the configuration that the operation is about. */
  | 'reconfigured'
  | 'name-taken'
  /** Two items were to swap names, which is not supported. */
  | 'names-swapped';

/** The one error class of this package. The message is for the operator: what happened, where, and what to do. */
export class DbError extends Error {
  readonly code: DbErrorCode;

  constructor(code: DbErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'DbError';
    this.code = code;
  }
}

/** The `code` of a system or PostgreSQL error (`ENOENT`, `28P01`), if it has one. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
