import { createHash, randomUUID } from 'node:crypto';
import { basename, extname, resolve } from 'node:path';
import { type Plan, publicPlan } from '@seaplane/config';
import {
  abortBuild,
  configToSave,
  createJobBuild,
  createUploadedArtifact,
  EventFeeds,
  ensureMainTeam,
  findJob,
  findPipeline,
  inTransaction,
  listBuildArtifacts,
  readPipelineConfig,
  savePipeline,
  startBuild,
} from '@seaplane/db';
import type { BuildEvent, BuildStatus } from '@seaplane/engine';
import type { Machine } from '@seaplane/web/machine';
import type { RunArguments } from './arguments.ts';
import { EventPrinter, type PrinterOptions } from './event-printer.ts';
import { planRun } from './plan-run.ts';
import type { JobToRun } from './read-job.ts';
import { packDirectory, unpackInto } from './tar.ts';

export interface RunContext {
  readonly machine: Pick<Machine, 'pool' | 'notifications' | 'background'>;
  readonly printer: PrinterOptions;
  /** Says something that is not part of the job's log. */
  readonly say: (text: string) => void;
}

/** Runs the job, prints its log, and copies its outputs. `abort` aborts the job. Returns how it ended. */
export async function runJob(
  context: RunContext,
  args: RunArguments,
  { pipeline, job }: JobToRun,
  abort: AbortSignal,
): Promise<{ readonly status: BuildStatus; readonly missing: readonly string[] }> {
  const { machine, printer, say } = context;
  const { pool } = machine;
  const { id: teamId } = await ensureMainTeam(pool, { owner: { users: [], groups: [] } });
  const jobId = await saveJob(context, teamId, args, { pipeline, job, warnings: [] });
  const uploads = new Map<string, number>();
  for (const { name, value } of args.inputs) uploads.set(name, await upload(context, teamId, value, abort));
  const outputs = args.outputs.map(({ name }) => name);
  const { plan, skipped } = planRun({ pipeline, job, uploads, outputs, put: args.put });
  for (const step of new Set(skipped)) {
    const how = step.startsWith('put ') ? '--put runs it' : 'there is no server to set it on';
    say(`skipping ${step} (${how})`);
  }
  abort.throwIfAborted();
  const buildId = await start(context, jobId, plan);
  const stop = () => void abortBuild(pool, buildId).catch((error: Error) => say(`cannot abort: ${error.message}`));
  abort.addEventListener('abort', stop, { once: true });
  if (abort.aborted) stop();
  const status = await follow(context, buildId, new EventPrinter(publicPlan(plan), printer));
  return { status, missing: await copyOutputs(context, args, buildId) };
}

/** Saves the pipeline, which stays paused, and returns the job's id. A job keeps its caches from one run to the next. */
async function saveJob(
  { machine: { pool } }: RunContext,
  teamId: number,
  { config }: RunArguments,
  { pipeline, job }: JobToRun,
): Promise<number> {
  const ref = { name: pipelineName(config) };
  const existing = await findPipeline(pool, teamId, ref);
  const stored = existing && (await readPipelineConfig(pool, existing.id));
  const fromVersion = stored?.version ?? 0;
  const saved = await savePipeline(pool, { teamId, ref, pipeline: configToSave(pipeline), fromVersion });
  if (saved.kind !== 'saved') throw new Error(`the pipeline was not saved: ${saved.kind}`);
  const found = await findJob(pool, saved.pipelineId, job.name);
  if (!found) throw new Error(`the job ${job.name} was saved and is not there`);
  return found.id;
}

/** The name of the file, and a part that differs for files of the same name in other folders. */
export function pipelineName(config: string): string {
  const name = basename(config, extname(config))
    .toLowerCase()
    .replace(/[^\p{Ll}\d]+/gu, '-');
  const hash = createHash('sha256').update(resolve(config)).digest('hex').slice(0, 6);
  return `run-${name}-${hash}`;
}

async function upload(
  { machine: { pool, background }, say }: RunContext,
  teamId: number,
  directory: string,
  signal: AbortSignal,
): Promise<number> {
  const [worker] = background.workers.workers();
  if (!worker) throw new Error('there is no worker');
  say(`taking ${directory} ...`);
  const artifactId = `upload-${randomUUID()}`;
  await background.artifacts.upload(worker, { id: artifactId, teamId }, packDirectory(directory, signal), signal);
  return (await createUploadedArtifact(pool, { teamId, name: '', artifactId })).id;
}

function start({ machine: { pool } }: RunContext, jobId: number, plan: Plan): Promise<number> {
  return inTransaction(pool, async (tx) => {
    const { id } = await createJobBuild(tx, { jobId });
    await startBuild(tx, id, { plan, publicPlan: publicPlan(plan) });
    return id;
  });
}

async function follow({ machine }: RunContext, buildId: number, printer: EventPrinter): Promise<BuildStatus> {
  let status: BuildStatus = 'errored';
  for await (const events of new EventFeeds(machine).watch(buildId, 0, new AbortController().signal)) {
    for (const { type, data } of events) {
      const event = { event: type, data: JSON.parse(data) } as BuildEvent;
      printer.print(event);
      if (event.event === 'status') status = event.data.status;
    }
  }
  return status;
}

/** Copies the outputs that were made, and returns the names of the others. */
async function copyOutputs(
  { machine: { pool, background }, say }: RunContext,
  { outputs }: RunArguments,
  buildId: number,
): Promise<string[]> {
  const made = new Map((await listBuildArtifacts(pool, buildId)).map(({ name, artifactId }) => [name, artifactId]));
  const { signal } = new AbortController();
  for (const { name, value } of outputs) {
    const id = made.get(name);
    if (id === undefined) continue;
    await unpackInto(value, await background.artifacts.read({ id }, signal), signal);
    say(`${name} is in ${value}`);
  }
  return outputs.map(({ name }) => name).filter((name) => !made.has(name));
}
