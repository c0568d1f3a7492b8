import type { WorkerArtifact } from '@seaplane/db';
import type { ArtifactAnswer } from '../answers/build.ts';
import { unixSeconds } from './unix-seconds.ts';

export function artifactJson({ id, name, buildId, createdAt }: WorkerArtifact): ArtifactAnswer {
  return { id, name, build_id: buildId ?? 0, created_at: unixSeconds(createdAt) };
}
