import { BaggageclaimError } from '@seaplane/baggageclaim';
import { assertNever } from '@seaplane/config';
import type { PulledImage, StepImage, StepIo } from '@seaplane/engine';
import { readerOn } from '../artifacts/artifact-reader.ts';
import { pullOn, pullRequestOf } from '../artifacts/registry-images.ts';
import type { BuildContext } from '../build-context.ts';
import type { SandboxImage } from '../host/sandbox-host.ts';
import { OrchestratorError } from '../orchestrator-error.ts';
import type { StepWorker } from './workers.ts';

/** An image that a sandbox can run, with the environment and user that its metadata names. */
export interface ResolvedImage {
  readonly image: SandboxImage;
  readonly privileged: boolean;
  readonly env: Readonly<Record<string, string>>;
  /** Empty if the image does not name one. */
  readonly user: string;
}

/** Turns the image that a step asks for into one that the worker's nodes can pull. May make it in the store, and bring it there. */
export async function resolveImage(
  context: BuildContext,
  io: StepIo,
  worker: StepWorker,
  asked: StepImage,
): Promise<ResolvedImage> {
  switch (asked.kind) {
    case 'base-type': {
      const type = Object.hasOwn(worker.baseTypes, asked.type) ? worker.baseTypes[asked.type] : undefined;
      if (!type) throw new OrchestratorError('no-worker', `${worker.name} has no resource type '${asked.type}'`);
      return plainImage(type.image, asked.privileged || type.privileged);
    }
    case 'uri': {
      const reference = asked.uri.replace(/^docker:\/\/\/?/, '');
      return { ...plainImage(reference, asked.privileged), image: { reference, fromPipeline: true } };
    }
    case 'artifact': {
      const { path, digest, env, user } = await context.artifacts.makeImage(
        asked.artifact,
        readerOn(worker, context, io),
      );
      const reference = await worker.host.imageReference(path, digest);
      return { image: { reference }, privileged: asked.privileged, env: parseEnv(env), user };
    }
    case 'pulled': {
      const { reference, env, user } = await pulledOn(worker, asked, io);
      return { image: { reference }, privileged: asked.privileged, env: parseEnv(env), user };
    }
    case 'none':
      if (worker.host.ownImage !== undefined) return plainImage(worker.host.ownImage, asked.privileged);
      throw new OrchestratorError(
        'not-started',
        `the step has no image, and the worker ${worker.name} has none of its own: give the task's config an 'image_resource', ` +
          `or the step an 'image' that an earlier step made`,
      );
    default:
      return assertNever(asked);
  }
}

/** The image of another worker is pulled by this one, too. */
async function pulledOn(
  worker: StepWorker,
  { image, source }: Extract<StepImage, { readonly kind: 'pulled' }>,
  io: StepIo,
): Promise<PulledImage> {
  if (image.worker === worker.name) return image;
  const request = pullRequestOf(await source(), image.digest);
  if (!request) throw new OrchestratorError('not-started', `the source of the image ${image.digest} has changed`);
  return pullOn(worker, request, io).catch((error: unknown) => {
    if (!(error instanceof BaggageclaimError)) throw error;
    const message = `the worker ${worker.name} can't pull the image ${request.repository}@${image.digest}: ${error.message}`;
    throw new OrchestratorError('not-started', message, { cause: error });
  });
}

function plainImage(reference: string, privileged: boolean): ResolvedImage {
  return { image: { reference }, privileged, env: {}, user: '' };
}

function parseEnv(lines: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf('=');
      return at < 0 ? [line, ''] : [line.slice(0, at), line.slice(at + 1)];
    }),
  );
}
