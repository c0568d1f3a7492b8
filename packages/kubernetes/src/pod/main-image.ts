import { RESOURCE_TYPE_VARIABLE } from '@seaplane/baggageclaim';
import { BUILT_IN, builtInTypeOf, HostError, type SandboxImage } from '@seaplane/orchestrator';
import type { Container } from '../api/wire.ts';
import type { Target } from '../target.ts';

/** The image of a step's own container. The built-in resource types are in the sidecar's image, so nothing else is pulled. */
export function mainImage({ baggageclaimImage }: Target, image: SandboxImage): Pick<Container, 'image' | 'env'> {
  const type = builtInTypeOf(image);
  if (type === undefined) return { image: image.reference };
  if (!BUILT_IN.includes(type)) {
    throw new HostError('bad-config', `there is no built-in resource type ${type}, only ${BUILT_IN.join(', ')}`);
  }
  return { image: baggageclaimImage, env: [{ name: RESOURCE_TYPE_VARIABLE, value: type }] };
}
