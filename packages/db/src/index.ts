export { Database, type DatabaseHealth, type DatabaseKind } from './database.ts';
export type { EmbeddedEvent, OnEmbeddedEvent } from './embedded/embedded-event.ts';
export {
  type EmbeddedConnection,
  EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  type EmbeddedStatus,
} from './embedded/embedded-postgres.ts';
export { DbError, type DbErrorCode } from './errors.ts';
export type { Instance } from './instance.ts';
export { migrate } from './migrate.ts';
export { type Migration, readMigrations } from './migration-files.ts';
export { type DatabaseConfig, type OpenOptions, openDatabase } from './open-database.ts';
