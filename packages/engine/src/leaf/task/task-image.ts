import { buildImagePlan, publicPlan, type TaskConfig, type TaskPlan } from '@seaplane/config';
import { EngineError } from '../../engine-error.ts';
import type { StepImage } from '../../seams.ts';
import type { StepVisit } from '../../walk/step-visit.ts';
import { fetchImage } from '../resource/fetch-image.ts';

/**
 * The image of a task: the artifact that the step names, else the image_resource, which is fetched, else the
 * rootfs_uri. A task for Linux needs one of them.
 */
export async function resolveTaskImage(visit: StepVisit, plan: TaskPlan, config: TaskConfig): Promise<StepImage> {
  const { privileged } = plan;
  if (plan.image) {
    const artifact = visit.state.artifacts.get(plan.image);
    if (artifact) return { kind: 'artifact', artifact, privileged };
    throw new EngineError(
      'image-missing',
      `missing image artifact source: ${plan.image}\n\nmake sure there's a corresponding 'get' step, or a task that produces it as an output`,
    );
  }
  if (config.image_resource) {
    const { baseTypeDefaults, checkIntervals } = visit.walk.seams.defaults ?? {};
    const { resource: interval } = checkIntervals ?? {};
    const { get, check } = buildImagePlan(visit.id, config.image_resource, plan, baseTypeDefaults, interval);
    if (check) await visit.events.emit('image-check', { plan: publicPlan(check) });
    await visit.events.emit('image-get', { plan: publicPlan(get) });
    return (await fetchImage(visit, get, check, privileged)).image;
  }
  if (config.rootfs_uri) return { kind: 'uri', uri: config.rootfs_uri, privileged };
  return { kind: 'none', privileged };
}
