import type { ArtifactRef, Orchestrator, StepIo } from '../seams.ts';
import { Drained } from '../walk/interruption.ts';
import type { ProcessRequest, Script, World, WorldProcess } from './memory-world.ts';
import { untilAborted } from './scripted-step.ts';

/**
 * Runs scripts instead of processes. As the seam demands, it attaches to running ones and obeys the signal's reason.
 */
export function memoryOrchestrator(world: World): Orchestrator {
  const scriptOf = (io: StepIo): Script => world.scripts[io.identity.stepName] ?? {};
  const artifact = (id: string, files: Readonly<Record<string, string>> = {}): ArtifactRef => {
    world.artifacts.set(id, files);
    return { id };
  };
  return {
    async check(io, request) {
      const script = scriptOf(io);
      const exitStatus = await runScript(world, io, script, request);
      return exitStatus === 0 ? { exitStatus, result: script.versions ?? [] } : { exitStatus };
    },
    async get(io, request) {
      const script = scriptOf(io);
      const image = request.forImage ? script.pulled : undefined;
      const exitStatus = script.cached || image ? 0 : await runScript(world, io, script, request);
      if (exitStatus !== 0) return { exitStatus };
      if (script.cached) await io.notice({ kind: 'message', text: 'found in the cache' });
      const { version = request.version, metadata = [], files } = script;
      const { type, source, params = null, imageCacheId = null } = request;
      const cacheId = JSON.stringify([type, source, request.version, params, imageCacheId]);
      if (image) return { exitStatus, result: { version, metadata, image, cacheId } };
      return {
        exitStatus,
        result: { version, metadata, artifact: artifact(`got ${io.identity.planId}`, files), cacheId },
      };
    },
    async put(io, request) {
      const { version = { put: io.identity.stepName }, metadata = [], ...script } = scriptOf(io);
      const exitStatus = await runScript(world, io, script, request);
      return exitStatus === 0 ? { exitStatus, result: { version, metadata } } : { exitStatus };
    },
    async task(io, request) {
      const script = scriptOf(io);
      let exitStatus: number | undefined;
      try {
        exitStatus = await runScript(world, io, script, request);
      } catch (error) {
        if (!world.processes.get(io.identity.planId)?.interrupted || error instanceof Drained) throw error;
      }
      const outputs = Object.fromEntries(
        request.outputs.map(({ name }) => [name, artifact(`out ${io.identity.planId} ${name}`, script.files)]),
      );
      return exitStatus === undefined ? { outputs } : { exitStatus, outputs };
    },
    async readFile({ id }, path, maxBytes, signal) {
      signal.throwIfAborted();
      const text = world.artifacts.get(id)?.[path];
      if (text !== undefined && text.length > maxBytes) {
        throw new Error(`${path} is larger than the limit of ${maxBytes} bytes: it has ${text.length} bytes`);
      }
      return text === undefined ? undefined : Buffer.from(text);
    },
    async findUpload(number) {
      const id = world.uploads.get(number);
      return id === undefined ? undefined : { id };
    },
    async publish(buildId, name, { id }) {
      world.published.set(`${buildId} ${name}`, id);
    },
  };
}

async function runScript(world: World, io: StepIo, script: Script, request: ProcessRequest): Promise<number> {
  const process = world.processes.get(io.identity.planId) ?? (await start(world, io, script, request));
  process.attached++;
  await io.notice({ kind: 'starting' });
  await print(io, script, process);
  if (!process.interrupted) {
    const reason = await runToEnd(world, io, script);
    if (reason instanceof Drained) throw reason;
    if (reason === undefined) {
      process.ended = true;
      return script.exit ?? 0;
    }
    process.interrupted = true;
  }
  await print(io, script, process);
  throw io.signal.aborted ? io.signal.reason : new Error('an earlier walk has ended the process');
}

/** Returns the interruption, if there was one. */
async function runToEnd(world: World, io: StepIo, script: Script): Promise<unknown> {
  if (!script.until && script.untilInterrupted === undefined) return undefined;
  const interrupted = untilAborted(io.signal).catch((reason: unknown) => reason);
  return script.until ? Promise.race([script.until(world).then(() => undefined), interrupted]) : interrupted;
}

async function start(world: World, io: StepIo, script: Script, request: ProcessRequest): Promise<WorldProcess> {
  io.signal.throwIfAborted();
  await io.notice({ kind: 'selected-worker', worker: 'memory' });
  for (const notice of script.notices ?? []) await io.notice(notice);
  io.signal.throwIfAborted();
  if (script.error !== undefined) throw new Error(script.error);
  const { planId, stepName, attempt } = io.identity;
  const process = { stepName, attempt, request, attached: 0, ended: false, interrupted: false };
  world.started.push(planId);
  world.processes.set(planId, process);
  return process;
}

/** Prints from the log's position on, in small pieces. */
async function print(io: StepIo, script: Script, { interrupted }: WorldProcess): Promise<void> {
  const stdout = Buffer.from((script.stdout ?? '') + (interrupted ? (script.untilInterrupted ?? '') : ''));
  const stderr = Buffer.from(script.stderr ?? '');
  const from = await io.output.position();
  for (let at = from.stdout; at < stdout.length; at += 7) await io.output.write('stdout', stdout.subarray(at, at + 7));
  for (let at = from.stderr; at < stderr.length; at += 7) await io.output.write('stderr', stderr.subarray(at, at + 7));
  await io.output.flush();
}
