import { BaggageclaimError, type RegistryImageRequest } from '@seaplane/baggageclaim';
import type { Json, JsonObject } from '@seaplane/config';
import type { FetchedVersion, GetRequest, PulledImage, StepIo } from '@seaplane/engine';
import type { BuildContext } from '../build-context.ts';
import { registryOf } from '../placement/silent-registries.ts';
import { isForTeam, type StepWorker } from '../placement/workers.ts';
import { atStore } from './at-store.ts';

const TYPE = 'registry-image';
const DIGEST = /^sha256:[0-9a-f]{64}$/;
/** Fields of a source that only choose the version, which is known. */
const CHOOSES = ['tag', 'variant', 'semver_constraint', 'pre_releases', 'tag_regex', 'created_at_sort', 'debug'];

/** What a host must know to pull an image as the resource type would. */
export function pullRequestOf(source: JsonObject, digest: string): RegistryImageRequest | undefined {
  const { repository, username, password, insecure, ca_certs: ca, registry_mirror: mirror, ...rest } = source;
  const credentials = credentialsOf(username, password);
  const from = mirror === undefined ? {} : mirrorOf(mirror);
  const isPlain =
    typeof repository === 'string' &&
    DIGEST.test(digest) &&
    (insecure === undefined || typeof insecure === 'boolean') &&
    (ca === undefined || isTexts(ca)) &&
    Object.keys(rest).every((name) => CHOOSES.includes(name));
  if (!isPlain || !credentials || !from) return undefined;
  return {
    repository,
    digest,
    ...credentials,
    ...from,
    ...(insecure ? { insecure: true } : {}),
    ...(ca && ca.length > 0 ? { ca } : {}),
  };
}

/**
 * The request by which hosts pull the image of a get, and no get is needed. Undefined where that would differ from what the resource
 * type fetches, or where one of the team's workers can't: a later step may run there.
 */
export function hostsPull(context: BuildContext, request: GetRequest): RegistryImageRequest | undefined {
  const { image, type, source, version, params = {}, forImage } = request;
  if (!forImage || image.kind !== 'base-type' || type !== TYPE || Object.keys(params).length > 0) return undefined;
  const asked = pullRequestOf(source, version['digest'] ?? '');
  if (!asked) return undefined;
  return workersOfTeam(context).every((worker) => canPull(worker, asked)) ? asked : undefined;
}

/** Why none of the team's workers is asked to pull the image now: one of them waited for this registry a moment ago, in vain. */
export function silenceOf(context: BuildContext, request: RegistryImageRequest): string | undefined {
  const { silentRegistries } = context.placement;
  for (const { name } of workersOfTeam(context)) {
    const age = silentRegistries.silentFor(name, request);
    if (age !== undefined) return `${registryOf(request)} did not answer ${name} ${Math.round(age / 1000)} s ago`;
  }
  return undefined;
}

/** A worker without images runs no step that needs one. */
function workersOfTeam({ workers, build }: BuildContext): StepWorker[] {
  const hasImages = ({ platform, host }: StepWorker) => platform === 'linux' && host.images !== 'none';
  return workers().filter((worker) => hasImages(worker) && isForTeam(worker, build.teamName));
}

function canPull({ host, proxyEnv }: StepWorker, request: RegistryImageRequest): boolean {
  const { credentials, insecure, ca, mirror } = request;
  if (proxyEnv) return false; // only processes of steps use the proxies
  return host.pulls === 'any' || (host.pulls === 'public' && !credentials && !insecure && !ca && !mirror);
}

/**
 * Has the worker pull the image. `io` gets the progress. `onCached` is called if the worker had it already. Throws a `BaggageclaimError` if
 * the worker can't.
 */
export async function pullOn(
  worker: StepWorker,
  request: RegistryImageRequest,
  io: StepIo,
  onCached: () => Promise<void> = async () => {},
): Promise<PulledImage> {
  if (!canPull(worker, request))
    throw new BaggageclaimError('unavailable', 'it needs what only the resource type knows');
  const onLine = (text: string) => void io.notice({ kind: 'message', text });
  const answer = await atStore(worker, io.signal, (store) => store.provideRegistryImage(request, onLine, io.signal));
  const { cached = false, ...image } = answer;
  if (cached) await onCached();
  return { worker: worker.name, digest: request.digest, ...image };
}

/** Version and metadata, as the published type's `in` answers. */
export function fetchedAs({ source, version }: GetRequest): FetchedVersion {
  const metadata = [
    { name: 'repository', value: String(source['repository']) },
    ...(version['tag'] === undefined ? [] : [{ name: 'tag', value: version['tag'] }]),
  ];
  return { version, metadata };
}

/** The type uses a name and a password only together. Undefined: these are not texts. */
function credentialsOf(
  username: Json | undefined,
  password: Json | undefined,
): Pick<RegistryImageRequest, 'credentials'> | undefined {
  if (!isTexts([username ?? '', password ?? ''])) return undefined;
  return username && password ? { credentials: { username: String(username), password: String(password) } } : {};
}

function mirrorOf(mirror: Json): Pick<RegistryImageRequest, 'mirror'> | undefined {
  if (mirror === null || typeof mirror !== 'object' || Array.isArray(mirror)) return undefined;
  const { host, username, password, ...rest } = mirror as JsonObject;
  const credentials = credentialsOf(username, password);
  if (typeof host !== 'string' || !credentials || Object.keys(rest).length > 0) return undefined;
  return { mirror: { host, ...credentials } };
}

function isTexts(value: Json): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
