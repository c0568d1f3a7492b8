import { BaggageclaimError, type RegistryImageRequest } from '@seaplane/baggageclaim';
import type { Fetched as FetchedContent, FetchedVersion, GetRequest, ScriptResult, StepIo } from '@seaplane/engine';
import { readerOn } from '../artifacts/artifact-reader.ts';
import { fetchedAs, hostsPull, pullOn, silenceOf } from '../artifacts/registry-images.ts';
import { type BuildContext, labelsFor } from '../build-context.ts';
import { cacheIdOf } from '../placement/identity.ts';
import {
  type OwnSandboxStep,
  type Placement,
  placeStep,
  prepareScriptImage,
  recordPlacement,
} from '../placement/placement.ts';
import { releaseSandbox } from '../placement/release-sandbox.ts';
import { findMade, type RunningSandbox, startSandbox } from '../placement/sandboxes.ts';
import { resumeResourceScript, runResourceScript, type ScriptEnd } from '../process/resource-process.ts';
import { parseFetched, scriptInput } from '../process/scripts.ts';

const SCRIPT = '/opt/resource/in';
const DIRECTORY = '/tmp/build/get';
const CYAN_BOLD = '\u001b[1;36m';
const RESET = '\u001b[0m';

type Fetched = FetchedVersion & FetchedContent;

/**
 * Fetches a version, unless it was fetched before: the same type, source, version and params are fetched once. An image that
 * hosts can pull is pulled instead.
 */
export async function runGet(context: BuildContext, io: StepIo, request: GetRequest): Promise<ScriptResult<Fetched>> {
  const cacheId = cacheIdOf(request);
  const step = { type: 'get', image: request.image, tags: request.tags } as const;
  const place = await placeStep(context, io, step);
  const fetchNow = async (): Promise<ScriptResult<Fetched>> => {
    const found = await findMade(context, io, place);
    const resumed = found && (await resumeResourceScript(context, io, found));
    if (found && resumed) return recordFetch(context, found, request, resumed);
    const { sandbox, end } = await runIn(context, io, step, place, request);
    return recordFetch(context, sandbox, request, end);
  };
  // A fetch that an earlier web began is found and ended, without waiting for the lock.
  if (io.signal.aborted) return fetchNow();
  const toPull = place.known ? undefined : hostsPull(context, request);
  const pulled = toPull && (await pull(context, io, place, request, toPull));
  if (pulled) return pulled;
  const findCached = async (): Promise<ScriptResult<Fetched> | undefined> => {
    const { build, records, artifacts } = context;
    const row = await records.findCache(cacheId, build.id);
    const artifact = row && { id: row.artifactId };
    if (!artifact || !(await artifacts.mayUseCache(artifact, readerOn(place.worker, context, io)))) return undefined;
    await reportCache(io);
    return { exitStatus: 0, result: { version: row.version, metadata: row.metadata, artifact, cacheId } };
  };
  return (
    (await findCached()) ??
    context.records.withLock(
      'cache',
      cacheId,
      io.signal,
      () => report(io, 'waiting to acquire resource lock'),
      async () => (await findCached()) ?? fetchNow(),
    )
  );
}

function reportCache(io: StepIo): Promise<void> {
  return report(io, 'found existing resource cache');
}

/** An empty line follows, as in Concourse. */
function report(io: StepIo, text: string): Promise<void> {
  return io.notice({ kind: 'message', text: `${CYAN_BOLD}INFO: ${text}${RESET}\n` });
}

/** Undefined: the worker can't pull the image, and the log says why. */
async function pull(
  context: BuildContext,
  io: StepIo,
  { worker }: Placement,
  request: GetRequest,
  toPull: RegistryImageRequest,
): Promise<ScriptResult<Fetched> | undefined> {
  await io.notice({ kind: 'selected-worker', worker: worker.name });
  const { repository, digest } = toPull;
  const leaveToType = (reason: string) => {
    const text = `the worker ${worker.name} can't pull ${repository}@${digest}, so the resource type fetches it: ${reason}`;
    return io.notice({ kind: 'message', text });
  };
  const silence = silenceOf(context, toPull);
  if (silence !== undefined) {
    await leaveToType(silence);
    return undefined;
  }
  try {
    const image = await pullOn(worker, toPull, io, () => reportCache(io));
    return { exitStatus: 0, result: { ...fetchedAs(request), image, cacheId: cacheIdOf(request) } };
  } catch (error) {
    io.signal.throwIfAborted();
    if (!(error instanceof BaggageclaimError)) throw error;
    if (error.code === 'registry-silent') context.placement.silentRegistries.add(worker.name, toPull);
    await leaveToType(error.message);
    return undefined;
  }
}

async function runIn(
  context: BuildContext,
  io: StepIo,
  step: OwnSandboxStep,
  place: Placement,
  request: GetRequest,
): Promise<{ readonly sandbox: RunningSandbox; readonly end: ScriptEnd }> {
  const labels = labelsFor(context.build, io, 'get');
  const { worker, handle } = await recordPlacement(context, io, step, place, { labels, workingDirectory: DIRECTORY });
  const image = await prepareScriptImage(context, io, worker, request.image);
  const sandbox = await startSandbox(context, io, handle, { worker, image, labels });
  const { version, params } = request;
  const end = await runResourceScript(context, io, sandbox, image, request, {
    path: SCRIPT,
    args: [DIRECTORY],
    stdin: scriptInput(request.source, { version, ...(params ? { params } : {}) }),
    directories: [DIRECTORY],
  });
  return { sandbox, end };
}

/** Records the artifact and the cache that a get has made, and starts to copy the artifact into the store. */
async function recordFetch(
  context: BuildContext,
  sandbox: RunningSandbox,
  request: GetRequest,
  { exitStatus, stdout }: ScriptEnd,
): Promise<ScriptResult<Fetched>> {
  const { records, artifacts, build } = context;
  releaseSandbox(context, sandbox);
  if (exitStatus !== 0) return { exitStatus };
  const cacheId = cacheIdOf(request);
  const answer = parseFetched(SCRIPT, stdout, request.version);
  const artifact = await artifacts.record(sandbox.worker, sandbox.handle, DIRECTORY);
  await records.saveCache({ cacheId, artifactId: artifact.id, ...answer }, request);
  await records.recordCacheUse(cacheId, build.id);
  artifacts.keepSoon(artifact, build.teamId);
  return { exitStatus, result: { ...answer, artifact, cacheId } };
}
