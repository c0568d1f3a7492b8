import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ContainerConfig,
  fetchImage,
  formatReference,
  OciError,
  parseDigest,
  parseRepository,
  type RegistrySettings,
  thisPlatform,
  withRegistry,
} from '@seaplane/oci';
import { BaggageclaimError } from '../../protocol/baggageclaim-error.ts';
import type { RegistryImageAnswer, RegistryImageRequest } from '../../protocol/messages.ts';
import type { ProvideRegistryImage } from './registry-image-messages.ts';

/** A get follows if the registry does not answer. */
const PATIENCE_MS = 8_000;
const MOST_REMEMBERED = 1_000;
const systemClock = { now: Date.now, sleep: (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal }) };

/**
 * For a worker whose nodes pull images: reads only the image's configuration, which nodes do not show. Answers are remembered,
 * because an image with this digest never changes, and registries limit how often they are asked.
 */
export function describedImages(clock = systemClock, patienceMs = PATIENCE_MS): ProvideRegistryImage {
  const known = new Map<string, RegistryImageAnswer>();
  return async (request, _onLine, signal) => {
    const key = JSON.stringify(request);
    const remembered = known.get(key);
    if (remembered) return { ...remembered, cached: true };
    const answer = await ociInWords(() => describe({ clock, patienceMs }, request, signal));
    if (known.size >= MOST_REMEMBERED) known.clear();
    if (!request.credentials) known.set(key, answer);
    return answer;
  };
}

async function describe(
  { clock, patienceMs }: { readonly clock: typeof systemClock; readonly patienceMs: number },
  request: RegistryImageRequest,
  signal: AbortSignal,
): Promise<RegistryImageAnswer> {
  const repository = parseRepository(request.repository);
  const digest = parseDigest(request.digest);
  const late = AbortSignal.timeout(patienceMs);
  const soon = AbortSignal.any([signal, late]);
  const { config } = await withRegistry({ clock, settings: settingsOf(request) }, repository, soon, (client) =>
    fetchImage(client, digest, thisPlatform(), soon),
  ).catch((cause: unknown) => {
    if (!late.aborted || signal.aborted) throw cause;
    const words = `${repository.registry} does not answer within ${patienceMs / 1000} s`;
    throw new BaggageclaimError('registry-silent', words, { cause });
  });
  return { reference: formatReference({ ...repository, digest }), ...imageFacts(config.config) };
}

/** How the request wants its registry to be asked. */
export function settingsOf({ credentials, insecure, ca, mirror }: RegistryImageRequest): RegistrySettings {
  return {
    ...(credentials && { credentials }),
    ...(insecure && { insecure }),
    ...(ca && { ca }),
    ...(mirror && {
      mirrors: [{ host: mirror.host, ...(mirror.credentials && { credentials: mirror.credentials }) }],
    }),
  };
}

/** What processes of an image have, by its configuration. */
export function imageFacts({ Env, User, Entrypoint, Cmd }: ContainerConfig): Omit<RegistryImageAnswer, 'reference'> {
  return { env: Env ?? [], user: User ?? '', command: [...(Entrypoint ?? []), ...(Cmd ?? [])] };
}

/** An image that can't be had is not a failure of this server. */
export async function ociInWords<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (cause) {
    if (!(cause instanceof OciError)) throw cause;
    const code = cause.code === 'registry-failed' ? 'registry-silent' : 'unavailable';
    throw new BaggageclaimError(code, cause.message, { cause });
  }
}
