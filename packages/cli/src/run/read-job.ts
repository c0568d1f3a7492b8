import { readFile } from 'node:fs/promises';
import {
  ConfigError,
  firstOf,
  interpolate,
  type JobConfig,
  JobNames,
  type Json,
  type JsonObject,
  jobInputs,
  jobOutputs,
  type PipelineConfig,
  parseYaml,
  readPipeline,
  refusePipeline,
} from '@seaplane/config';
import { listNames, Mistake } from '../mistake.ts';
import type { RunArguments } from './arguments.ts';
import { givenVariables, lookupIn } from './variables.ts';

export interface JobToRun {
  readonly pipeline: PipelineConfig;
  readonly job: JobConfig;
  readonly warnings: readonly string[];
}

/** Reads the pipeline and finds its job. Throws a {@link Mistake} that names what is wrong, and what there is. */
export async function readJob(run: RunArguments): Promise<JobToRun> {
  const text = await read(run.config);
  const files = await Promise.all(run.varFiles.map(async (name) => ({ name, value: await read(name) })));
  const given = givenVariables({ ...run, files });
  const { pipeline, warnings } = await parse(run.config, text, given);
  const job = pipeline.jobs.find(({ name }) => name === run.job);
  const names = listNames(pipeline.jobs.map(({ name }) => name));
  if (!job) throw new Mistake(run.job === '' ? `name the job with -j JOB; ${names}` : `no job ${run.job}; ${names}`);
  checkInputs(run, pipeline, job);
  await checkVariables(pipeline, job, given);
  return { pipeline, job, warnings };
}

async function read(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new Mistake(`${path} cannot be read: ${(cause as Error).message}`, { cause });
  }
}

async function parse(file: string, text: string, given: readonly JsonObject[]) {
  try {
    const tree = await interpolate(parseYaml(text), firstOf(lookupIn(given)), { allowMissing: true });
    const result = readPipeline(tree);
    if (result.ok) return { pipeline: result.config, warnings: result.warnings.map(({ message }) => message) };
    throw new Mistake(`${file} is not a valid pipeline:\n${result.errors.join('\n')}`);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const result = refusePipeline(error);
    throw new Mistake(`${file}: ${result.ok ? error.message : result.errors.join('\n')}`, { cause: error });
  }
}

function checkInputs({ inputs }: RunArguments, pipeline: PipelineConfig, job: JobConfig): void {
  const known = [...jobInputs(new JobNames(pipeline), job), ...jobOutputs(job)].map(({ name }) => name);
  for (const { name } of inputs) {
    if (!known.includes(name)) throw new Mistake(`the job ${job.name} has no input ${name}; ${listNames(known)}`);
  }
}

/** Variables without a source have a value now or never. Those of var sources are looked up when a step runs. */
async function checkVariables(pipeline: PipelineConfig, job: JobConfig, given: readonly JsonObject[]): Promise<void> {
  const used = new Set([...jobInputs(new JobNames(pipeline), job), ...jobOutputs(job)].map(({ resource }) => resource));
  const resources = pipeline.resources.filter(({ name }) => used.has(name));
  const tree = JSON.parse(JSON.stringify({ job, resources, types: pipeline.resource_types })) as Json;
  try {
    await interpolate(tree, ({ source }) => (source === undefined ? undefined : ''), { allowMissing: false });
  } catch (cause) {
    if (!(cause instanceof ConfigError)) throw cause;
    const names = given.flatMap((vars) => Object.keys(vars));
    throw new Mistake(`${cause.message}. Give them with -v NAME=TEXT; of those given, ${listNames(names)}`, { cause });
  }
}
