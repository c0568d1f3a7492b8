import { execFile } from 'node:child_process';
import { HostError, type SandboxSpec } from '@seaplane/orchestrator';
import { HOST_IMAGE } from '../protocol.ts';
import type { ImageTree } from './images.ts';

const PLAIN = 'this worker runs steps as plain processes, without isolation';
/** The supervisor ends with this status if it is asked for nothing. */
const USAGE_STATUS = 2;

/** The image of every plain process: the machine as it is. */
export const NO_IMAGE: ImageTree = { lowers: [], binds: [] };

/** The error of a step that asks for an image. */
export function noImages(platform: NodeJS.Platform = process.platform): HostError {
  return new HostError(
    'refused',
    `${PLAIN}, so a step for the platform ${platform} can't have an image here: remove 'image_resource' and 'image' from it`,
  );
}

/** Throws, in words, if a plain process can't be what the step asks for. */
export function requirePlain({ image, hermetic, mounts }: Pick<SandboxSpec, 'image' | 'hermetic' | 'mounts'>): void {
  if (image.reference !== HOST_IMAGE || image.fromPipeline) throw noImages();
  if (hermetic) throw new HostError('refused', `${PLAIN}, so it can't keep the network from a hermetic step`);
  const [outside] = mounts;
  if (outside === undefined) return;
  const words = `so it can't give a step a directory at ${outside}: name a path inside of the step's working directory`;
  throw new HostError('refused', `${PLAIN}, ${words}`);
}

/** Lines for the build's log about what a plain process does not get. */
export function plainNotices({ limits = {}, privileged }: Pick<SandboxSpec, 'limits' | 'privileged'>): string[] {
  const asked = [limits.cpu ? 'cpu' : '', limits.memory ? 'memory' : ''].filter((name) => name !== '');
  return [
    ...asked.map((name) => `${PLAIN}: the step has no ${name} limit`),
    ...(privileged ? [`${PLAIN}: a privileged step has no other rights than any step`] : []),
  ];
}

/** Throws, in words, if the supervisor can't run on this machine. */
export async function tryPlain(supervisor: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  execFile(supervisor, ['--plain'], { env: {} }, (error) =>
    resolve(error?.code === USAGE_STATUS ? undefined : (error?.message ?? 'it did nothing')),
  );
  const problem = await promise;
  if (problem !== undefined) throw new HostError('refused', `the supervisor does not run on this machine: ${problem}`);
}
