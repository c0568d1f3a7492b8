import type { ResourceType } from '../request.ts';
import { checkImage } from './image-check.ts';
import { fetchRegistryImage } from './image-in.ts';
import { pushRegistryImage } from './image-out.ts';

/** Images of a registry. */
export const registryImageType: ResourceType = {
  check: (context, { source, version }) => checkImage(context, source, version),
  in: fetchRegistryImage,
  out: pushRegistryImage,
};
