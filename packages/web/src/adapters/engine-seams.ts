import type { YamlParser } from '@seaplane/config';
import type { Credentials } from '@seaplane/credentials';
import type { BuildJournal } from '@seaplane/db';
import type { BuildInfo, Clock, EngineSeams, Resources, StepDefaults } from '@seaplane/engine';
import {
  type Artifacts,
  orchestratorFor,
  type PlacementPolicy,
  type Records,
  type StepWorker,
} from '@seaplane/orchestrator';
import type { StoredPipelines } from '@seaplane/scheduler';
import type pg from 'pg';
import { createPipelines } from './set-pipeline.ts';
import { variablesFor } from './variables.ts';

export interface EngineSeamsContext {
  readonly pool: pg.Pool;
  readonly clock: Clock;
  readonly records: Records;
  readonly artifacts: Artifacts;
  readonly credentials: Credentials;
  readonly storedPipelines: StoredPipelines;
  readonly resources: Resources;
  readonly yaml: YamlParser;
  readonly workers: { workers(): readonly StepWorker[] };
  readonly placement: PlacementPolicy;
  readonly redactSecrets: boolean;
  readonly stepDefaults: StepDefaults;
  /** Called with errors of work that no step waits for. */
  readonly onError: (error: unknown) => void;
}

/** Returns a function that makes the engine's seams for one build. */
export function engineSeams(context: EngineSeamsContext): (build: BuildInfo, journal: BuildJournal) => EngineSeams {
  const { pool, clock, records, artifacts, resources, yaml, workers, placement, redactSecrets, onError } = context;
  const orchestration = { records, artifacts, workers: () => workers.workers(), placement, clock, onError };
  return (build, journal) => ({
    clock,
    journal,
    orchestrator: orchestratorFor(orchestration, build, () => journal.pen()),
    resources,
    variables: variablesFor(context, build),
    pipelines: createPipelines(pool, journal, yaml),
    yaml,
    redactSecrets,
    defaults: context.stepDefaults,
  });
}
