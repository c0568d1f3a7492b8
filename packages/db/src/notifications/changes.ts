import type { Queryable } from '../queryable.ts';
import { CHANNELS, notify } from './channels.ts';

/**
 * Something that pages show has changed. It says where to look, never what is there:
 *
 * - `pipeline:ID`: a pipeline's flags, jobs, builds, versions or pins, or the outcome of its checks
 * - `pipelines`: the list of pipelines; one came, went, was renamed, moved, exposed or hidden
 * - `team:ID`: a build of the team that belongs to no job
 * - `wall`: the message to everybody
 */
export type Change = `pipeline:${number}` | 'pipelines' | `team:${number}` | 'wall';

export async function announceChange(tx: Queryable, change: Change): Promise<void> {
  await notify(tx, 'changes', change);
}

/** SQL that announces a change of the pipelines with these ids, which `source` has in a column. */
export function announcePipelines(column: string, source: string): string {
  return `SELECT pg_notify('${CHANNELS.changes}', 'pipeline:' || ${column}) FROM ${source}`;
}

/** Announces a change of the pipeline that has the resource. */
export async function announceResource(tx: Queryable, resourceId: number): Promise<void> {
  await tx.query(announcePipelines('pipeline_id', 'resource WHERE id = $1'), [resourceId]);
}

/** Announces a change of every pipeline with a resource of this history. */
export async function announceScope(tx: Queryable, scopeId: number): Promise<void> {
  await tx.query(announcePipelines('pipeline_id', 'resource WHERE scope_id = $1 AND active'), [scopeId]);
}
