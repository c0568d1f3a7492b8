import type { ArtifactRef, FetchedVersion, GetRequest, ScriptResult, StepIo } from '@seaplane/engine';
import { type BuildContext, labelsFor, placeStep } from './build-context.ts';
import { cacheIdOf } from './identity.ts';
import { runResourceScript } from './resource-process.ts';
import { startSandbox } from './sandboxes.ts';
import { parseFetched, scriptInput } from './scripts.ts';

const SCRIPT = '/opt/resource/in';
const DIRECTORY = '/tmp/build/get';
const CYAN_BOLD = '\u001b[1;36m';
const RESET = '\u001b[0m';

type Fetched = FetchedVersion & { readonly artifact: ArtifactRef; readonly cacheId: string };

/** Fetches a version, unless somebody has: the same type, source, version and params are fetched once. */
export async function runGet(context: BuildContext, io: StepIo, request: GetRequest): Promise<ScriptResult<Fetched>> {
  const cacheId = cacheIdOf(request);
  const say = (text: string) => io.notice({ kind: 'message', text: `${CYAN_BOLD}INFO: ${text}${RESET}` });
  const cached = async (): Promise<ScriptResult<Fetched> | undefined> => {
    const row = await context.records.findCache(cacheId);
    if (!row || !(await context.artifacts.isThere({ id: row.artifactId }))) return undefined;
    await say('found existing resource cache');
    const { version, metadata, artifactId } = row;
    return { exitStatus: 0, result: { version, metadata, artifact: { id: artifactId }, cacheId } };
  };
  return (
    (await cached()) ??
    context.records.withCacheLock(
      cacheId,
      io.signal,
      () => say('waiting to acquire resource lock'),
      async () => (await cached()) ?? fetchVersion(context, io, request, cacheId),
    )
  );
}

async function fetchVersion(
  context: BuildContext,
  io: StepIo,
  request: GetRequest,
  cacheId: string,
): Promise<ScriptResult<Fetched>> {
  const { worker, image } = await placeStep(context, io, request.image, request);
  const labels = labelsFor(context.build, io, 'get');
  const place = { worker, image, labels, workingDirectory: DIRECTORY, user: image.user };
  const sandbox = await startSandbox(context.records, io, place);
  const { version, params } = request;
  const { exitStatus, stdout } = await runResourceScript(io, sandbox, image, request, {
    path: SCRIPT,
    args: [DIRECTORY],
    stdin: scriptInput(request.source, { version, ...(params ? { params } : {}) }),
    directories: [DIRECTORY],
  });
  if (exitStatus !== 0) return { exitStatus };
  const fetched = parseFetched(SCRIPT, stdout);
  const artifact = await context.artifacts.record(worker, sandbox.handle, DIRECTORY);
  await context.records.saveCache({ cacheId, artifactId: artifact.id, ...fetched });
  context.artifacts.keepSoon(artifact);
  return { exitStatus, result: { ...fetched, artifact, cacheId } };
}
