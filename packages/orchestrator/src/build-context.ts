import type { BuildInfo, StepImage, StepIo } from '@seaplane/engine';
import type { Artifacts } from './artifacts.ts';
import { type ResolvedImage, resolveImage } from './images.ts';
import type { Records } from './records.ts';
import type { SandboxLabels } from './sandbox-host.ts';
import { chooseWorker, type Requirements, type Worker } from './workers.ts';

/** What running a step needs; one for all builds. */
export interface OrchestratorContext {
  readonly records: Records;
  readonly artifacts: Artifacts;
  readonly workers: () => readonly Worker[];
}

/** One build's steps: the context, and whose they are. */
export interface BuildContext extends OrchestratorContext {
  readonly build: BuildInfo;
}

/** Chooses where a step runs, tells so, and makes its image one that the nodes there can pull. */
export async function placeStep(
  { workers, artifacts, build }: BuildContext,
  io: StepIo,
  asked: StepImage,
  needs: Pick<Requirements, 'tags' | 'platform'>,
): Promise<{ worker: Worker; image: ResolvedImage }> {
  const baseType = asked.kind === 'base-type' ? { baseType: asked.type } : {};
  const worker = chooseWorker(workers(), { ...needs, ...baseType, team: build.teamName });
  await io.notice({ kind: 'selected-worker', worker: worker.host.name });
  return { worker, image: await resolveImage(artifacts, worker, asked, io.signal) };
}

/** What a sandbox is labelled with: for people, and for finding it again. */
export function labelsFor(build: BuildInfo, io: StepIo, type: SandboxLabels['type']): SandboxLabels {
  const { attempt, stepName } = io.identity;
  return {
    type,
    team: build.teamName,
    step: stepName,
    ...(build.pipelineName ? { pipeline: build.pipelineName } : {}),
    ...(build.jobName ? { job: build.jobName } : {}),
    build: build.name,
    buildId: build.id,
    ...(attempt ? { attempt } : {}),
  };
}
