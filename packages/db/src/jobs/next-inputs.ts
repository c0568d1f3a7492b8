import type { Version } from '@seaplane/config';
import type { Queryable } from '../queryable.ts';

export interface NextInput {
  readonly name: string;
  readonly resource: string;
  readonly version: Version;
}

/** The versions that the next build of a job would get, by name. Undefined while they are not determined. */
export async function readNextInputs(db: Queryable, jobId: number): Promise<NextInput[] | undefined> {
  const { rows } = await db.query<{ [K in keyof NextInput]: NextInput[K] | null } & { determined: boolean }>(
    `SELECT j.inputs_determined AS determined, n.input_name AS name, r.name AS resource, v.version
     FROM job j
     LEFT JOIN next_build_input n ON n.job_id = j.id
     LEFT JOIN resource r ON r.id = n.resource_id
     LEFT JOIN resource_version v ON v.scope_id = r.scope_id AND v.digest = n.version_digest
     WHERE j.id = $1 ORDER BY n.input_name`,
    [jobId],
  );
  const inputs = rows.flatMap(({ name, resource, version }) => (name === null ? [] : [{ name, resource, version }]));
  const complete = inputs.every(({ version }) => version !== null);
  return rows[0]?.determined && complete ? (inputs as NextInput[]) : undefined;
}
