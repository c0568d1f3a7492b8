import * as v from 'valibot';
import type { ArtifactSource, WindowSize } from '../../protocol/messages.ts';

const cells = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(65_535));

export const windowSize = v.object({ columns: cells, rows: cells }) satisfies v.GenericSchema<unknown, WindowSize>;

export const artifactSource = v.array(
  v.object({
    url: v.pipe(v.string(), v.url()),
    token: v.string(),
    server: v.object({ name: v.string(), authority: v.string() }),
  }),
) satisfies v.GenericSchema<unknown, ArtifactSource>;
