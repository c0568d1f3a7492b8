import {
  assertNever,
  ConfigError,
  describeChanges,
  firstOf,
  interpolate,
  type PipelineConfig,
  type PipelineResult,
  readPipeline,
  refusePipeline,
  staticLookup,
  type YamlParser,
} from '@seaplane/config';
import {
  adoptPipeline,
  type BuildJournal,
  configToSave,
  findPipeline,
  findTeam,
  type Queryable,
  readPipelineConfig,
  savePipeline,
  type Team,
} from '@seaplane/db';
import type { BuildInfo, Pipelines, SetPipelineRequest, SetPipelineResult } from '@seaplane/engine';

const ATTEMPTS = 5;

type OnceJournal = Pick<BuildJournal, 'read' | 'doOnce'>;

/**
 * Sets pipelines for the set_pipeline step, as `fly set-pipeline` does for a user. The result is recorded in the build's
 * journal in the same transaction, so that a step that is resumed reports the result and sets nothing twice.
 */
export function createPipelines(db: Queryable, journal: OnceJournal, yaml: YamlParser): Pipelines {
  return { setPipeline: (build, request, signal) => setPipeline({ db, journal, yaml }, build, request, signal) };
}

async function setPipeline(
  { db, journal, yaml }: { readonly db: Queryable; readonly journal: OnceJournal; readonly yaml: YamlParser },
  build: BuildInfo,
  request: SetPipelineRequest,
  signal: AbortSignal,
): Promise<SetPipelineResult> {
  const key = { planId: request.planId, what: 'pipeline-set' } as const;
  const earlier = await journal.read(key);
  if (earlier) return earlier as SetPipelineResult;
  const parsed = await readRequest(yaml, request, signal);
  const warnings = parsed.warnings.map(({ message }) => message);
  if (!parsed.ok) return { kind: parsed.reason, errors: parsed.errors, warnings };
  const team = await targetTeam(db, build, request.team);
  // If somebody else sets the pipeline between reading and writing, compare with their configuration and try again.
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const done = await journal.doOnce(key, async (tx) => {
      const result = await trySet(tx, build, team, request, parsed.config);
      return result && { ...result, warnings };
    });
    if (done) return done as SetPipelineResult;
  }
  throw new Error(`others kept changing the pipeline ${request.name} while this step tried to set it`);
}

async function readRequest(
  yaml: YamlParser,
  { configText, vars }: SetPipelineRequest,
  signal: AbortSignal,
): Promise<PipelineResult> {
  try {
    const written = await yaml.parse(configText, signal);
    return readPipeline(await interpolate(written, firstOf(vars.map(staticLookup)), { allowMissing: true }));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return refusePipeline(error);
  }
}

/** Returns undefined if the pipeline was changed between reading and writing. */
async function trySet(
  db: Queryable,
  build: BuildInfo,
  team: Team,
  { name, instanceVars }: SetPipelineRequest,
  config: PipelineConfig,
): Promise<SetPipelineResult | undefined> {
  const ref = instanceVars ? { name, instanceVars } : { name };
  const existing = await findPipeline(db, team.id, ref);
  const stored = existing && (await readPipelineConfig(db, existing.id));
  const pipeline = configToSave(config);
  const diff = describeChanges(stored?.config ?? {}, pipeline.config);
  const by = build.jobId === undefined ? {} : { by: { buildId: build.id, jobId: build.jobId } };
  if (diff === '' && existing && stored) {
    // Nothing is saved, so nothing is scheduled or shown as updated. The build owns the pipeline all the same.
    if (by.by) await adoptPipeline(db, existing.id, by.by);
    return { kind: 'set', created: false, changed: false, diff };
  }
  const saved = await savePipeline(db, { teamId: team.id, ref, pipeline, fromVersion: stored?.version ?? 0, ...by });
  switch (saved.kind) {
    case 'saved':
      return { kind: 'set', created: saved.created, changed: diff !== '', diff };
    case 'set-by-newer-build':
      return { kind: 'superseded', diff };
    case 'version-conflict':
      return undefined;
    default:
      return assertNever(saved);
  }
}

async function targetTeam(db: Queryable, build: BuildInfo, named: string | undefined): Promise<Team> {
  const own = await findTeam(db, build.teamName);
  if (!own) throw new Error(`the team ${build.teamName} was deleted`);
  if (named === undefined || named === own.name) return own;
  if (!own.admin) throw new Error("only main team can set another team's pipeline");
  const other = await findTeam(db, named);
  if (!other) throw new Error(`team ${named} not found`);
  return other;
}
