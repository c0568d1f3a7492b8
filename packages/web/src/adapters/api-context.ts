import { randomUUID } from 'node:crypto';
import type {
  ActionRoles,
  ApiContext,
  Artifacts,
  Checks,
  LocalUser,
  PipelineVariables,
  Sandboxes,
} from '@seaplane/api';
import {
  type BaseTypeDefaults,
  type CheckIntervals,
  interpolate,
  type JsonObject,
  type VarReference,
  type YamlParser,
} from '@seaplane/config';
import type { Credentials } from '@seaplane/credentials';
import {
  type Build,
  type Checkable,
  createUploadedArtifact,
  findSandbox,
  listTeams,
  type Notifications,
} from '@seaplane/db';
import type { Clock } from '@seaplane/engine';
import {
  OrchestratorError,
  type SandboxHost,
  type StepWorker,
  type Artifacts as StoredArtifacts,
  workersFor,
} from '@seaplane/orchestrator';
import { checkPrototype, checkResource, checkResourceType, type StoredPipelines } from '@seaplane/scheduler';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { KubernetesSecretsConfig, WebConfig } from '../boot/index.ts';
import { credentialProblems } from './credential-problems.ts';
import { logLevelOf } from './log-level.ts';
import { inUserWords } from './user-words.ts';
import { variablesFor } from './variables.ts';

/** The background work of web, as far as requests use it. */
interface ForRequests {
  readonly workers: { workers(): readonly StepWorker[]; hosts(): readonly SandboxHost[] };
  readonly artifacts: Pick<StoredArtifacts, 'upload' | 'read'>;
  readonly credentials: Credentials;
  readonly identityKeys: { publicKeys(): Promise<readonly JsonObject[]> };
  readonly storedPipelines: StoredPipelines;
  readonly baseTypeDefaults: BaseTypeDefaults;
  readonly checkIntervals: CheckIntervals;
  readonly yaml: YamlParser;
}

export interface ApiSettings {
  readonly pool: pg.Pool;
  readonly notifications: Notifications;
  readonly clock: Clock;
  readonly background: ForRequests;
  readonly externalUrl: string;
  readonly identityIssuer: string;
  readonly localUsers: readonly LocalUser[];
  readonly actionRoles?: ActionRoles;
  readonly config: Pick<
    WebConfig,
    | 'clusterName'
    | 'concourseVersion'
    | 'flyDirectory'
    | 'interceptIdleMs'
    | 'kubernetesSecrets'
    | 'redactSecrets'
    | 'streamLimits'
  >;
  readonly logger: Pick<Logger, 'level'>;
  readonly onError: (error: unknown, path: string) => void;
}

/** Makes the context that the API asks for from the rest of web. */
export function apiContext({ background, config, logger, ...settings }: ApiSettings): ApiContext {
  const { pool } = settings;
  const { clusterName, concourseVersion, flyDirectory, kubernetesSecrets } = config;
  const { redactSecrets, streamLimits, interceptIdleMs } = config;
  return {
    ...settings,
    redactSecrets,
    streamLimits,
    interceptIdleMs,
    ...(kubernetesSecrets ? { credentialManagers: { kubernetes: shownSettings(kubernetesSecrets) } } : {}),
    ...(clusterName ? { clusterName } : {}),
    ...(concourseVersion ? { concourseVersion } : {}),
    ...(flyDirectory ? { flyDirectory } : {}),
    sandboxes: sandboxesOf(pool, background),
    artifacts: artifactsOf(pool, background),
    checks: checksOf(pool, background),
    variables: variablesOf(pool, background),
    identityKeys: () => background.identityKeys.publicKeys(),
    logLevel: logLevelOf(logger),
    yaml: background.yaml,
  };
}

function shownSettings({ configPath, namespacePrefix }: KubernetesSecretsConfig) {
  const in_cluster_config = configPath === undefined;
  return { in_cluster_config, config_path: configPath ?? '', namespace_config: namespacePrefix };
}

function sandboxesOf(pool: pg.Pool, background: ForRequests): Sandboxes {
  return {
    async hijack(handle, request, signal) {
      const sandbox = await findSandbox(pool, handle);
      const host = background.workers.hosts().find(({ name }) => name === sandbox?.workerName);
      if (!host) throw new Error(`the worker of the sandbox ${handle} is not configured here any more`);
      await host.restore(handle, signal);
      return (await host.connect(handle)).hijack(request, signal);
    },
  };
}

function artifactsOf(pool: pg.Pool, background: ForRequests): Artifacts {
  return {
    async upload({ teamId, tar, platform, tags }, signal) {
      const team = (await listTeams(pool)).find(({ id }) => id === teamId)?.name ?? '';
      try {
        const [worker] = workersFor(background.workers.workers(), { tags, team, ...(platform ? { platform } : {}) });
        const { id } = await background.artifacts.upload(worker, { id: `upload-${randomUUID()}`, teamId }, tar, signal);
        return await createUploadedArtifact(pool, { teamId, name: '', artifactId: id });
      } catch (error) {
        throw inUserWords(error);
      }
    },
    async download({ artifactId }, signal) {
      try {
        return await background.artifacts.read({ id: artifactId }, signal);
      } catch (error) {
        if (error instanceof OrchestratorError && error.code === 'artifact-gone') return undefined;
        throw inUserWords(error);
      }
    },
  };
}

function checksOf(db: pg.Pool, { storedPipelines, baseTypeDefaults, checkIntervals }: ForRequests): Checks {
  const context = { db, storedPipelines, baseTypeDefaults, checkIntervals };
  return {
    async start(of, request) {
      const asked = { ...request, manuallyTriggered: true };
      const build = await startCheck(context, of, asked);
      if (!build) throw new Error('the requested check was not started');
      return build;
    },
  };
}

function startCheck(
  context: Parameters<typeof checkResource>[0],
  of: Checkable,
  options: Parameters<typeof checkResource>[2],
): Promise<Build | undefined> {
  if ('resourceId' in of) return checkResource(context, of.resourceId, options);
  if ('resourceTypeId' in of) return checkResourceType(context, of.resourceTypeId, options);
  return checkPrototype(context, of.prototypeId, options);
}

function variablesOf(pool: pg.Pool, { credentials, storedPipelines }: ForRequests): PipelineVariables {
  return {
    async interpolate({ id, name, instanceVars, teamName }, text, signal) {
      const owner = { teamName, pipelineId: id, pipelineName: name };
      const variables = variablesFor(
        { pool, credentials, storedPipelines },
        { ...owner, ...(instanceVars ? { pipelineInstanceVars: instanceVars } : {}) },
      );
      const lookup = (reference: VarReference) => variables.get(reference, signal);
      const placesOf = (reference: VarReference) => variables.placesOf(reference, signal);
      return String(await interpolate(text, lookup, { allowMissing: false, placesOf }));
    },
    async findProblems({ teamName, ref, sources }, values, signal) {
      const { name, instanceVars } = ref;
      const scope = { team: teamName, pipeline: name, ...(instanceVars ? { instanceVars } : {}) };
      return credentialProblems(credentials.variables(sources, scope), values, signal);
    },
  };
}
