import * as v from 'valibot';
import type { ArtifactSource, RegistryImageRequest, WindowSize } from '../../protocol/messages.ts';

const cells = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(65_535));

export const windowSize = v.object({ columns: cells, rows: cells }) satisfies v.GenericSchema<unknown, WindowSize>;

export const artifactSource = v.array(
  v.object({
    url: v.pipe(v.string(), v.url()),
    token: v.string(),
    server: v.object({ name: v.string(), authority: v.string() }),
  }),
) satisfies v.GenericSchema<unknown, ArtifactSource>;

const credentials = v.optional(v.object({ username: v.string(), password: v.string() }));

export const registryImageRequest = v.object({
  repository: v.string(),
  digest: v.string(),
  credentials,
  insecure: v.optional(v.boolean()),
  ca: v.optional(v.array(v.string())),
  mirror: v.optional(v.object({ host: v.string(), credentials })),
}) satisfies v.GenericSchema<unknown, RegistryImageRequest>;
