import type { WorkerArtifact } from '@seaplane/db';
import { unixSeconds } from './unix-seconds.ts';

/** An artifact that `fly execute` sent or may take. */
export function artifactJson({ id, name, buildId, createdAt }: WorkerArtifact): object {
  return { id, name, build_id: buildId ?? 0, created_at: unixSeconds(createdAt) };
}
