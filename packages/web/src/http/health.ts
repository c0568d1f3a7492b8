import type { Database, DatabaseKind } from '@seaplane/db';

/** The answer of GET /health. It is public, so it holds nothing that helps an attacker. */
export interface HealthReport {
  readonly status: 'ok' | 'failing';
  readonly version: string;
  readonly database: {
    readonly status: 'ok' | 'failing';
    readonly kind: DatabaseKind;
    readonly version: string;
    readonly error?: string;
  };
}

export async function checkHealth(database: Pick<Database, 'kind' | 'health'>, version: string): Promise<HealthReport> {
  const health = await database.health();
  return { status: health.status, version, database: { kind: database.kind, ...health } };
}
