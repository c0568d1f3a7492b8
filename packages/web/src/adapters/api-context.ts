import { randomUUID } from 'node:crypto';
import type { ApiContext, Artifacts, Checks, LocalUser, PipelineVariables, Sandboxes } from '@seaplane/api';
import { interpolate, type VarReference } from '@seaplane/config';
import type { Credentials } from '@seaplane/credentials';
import { createUploadedArtifact, findSandbox, listTeams } from '@seaplane/db';
import { chooseWorker, OrchestratorError, systemClock } from '@seaplane/orchestrator';
import { checkResource, checkResourceType } from '@seaplane/scheduler';
import type pg from 'pg';
import type { EngineRoom } from '../loops/engine-room.ts';
import { inUserWords } from './user-words.ts';
import { variablesFor } from './variables.ts';

export interface ApiSettings {
  readonly pool: pg.Pool;
  readonly room: EngineRoom;
  readonly externalUrl: string;
  readonly clusterName?: string;
  readonly localUsers: readonly LocalUser[];
  readonly redactSecrets: boolean;
  readonly flyDirectory?: string;
  readonly onError: (error: unknown, path: string) => void;
}

/** What the API asks of the rest of web. */
export function apiContext({ room, ...settings }: ApiSettings): ApiContext {
  const { pool } = settings;
  return {
    ...settings,
    notifications: room.notifications,
    clock: systemClock,
    sandboxes: sandboxesOf(pool, room),
    artifacts: artifactsOf(pool, room),
    checks: checksOf(pool),
    variables: variablesOf(pool, room.credentials),
  };
}

function sandboxesOf(pool: pg.Pool, room: EngineRoom): Sandboxes {
  return {
    async hijack(handle, request, signal) {
      const sandbox = await findSandbox(pool, handle);
      const host = room.workers.hosts().find(({ name }) => name === sandbox?.workerName);
      if (!host) throw new Error(`the worker of ${handle} is not one of this server's any more`);
      return (await host.connect(handle)).hijack(request, signal);
    },
  };
}

function artifactsOf(pool: pg.Pool, room: EngineRoom): Artifacts {
  return {
    async upload({ teamId, tar, platform, tags }, signal) {
      const team = (await listTeams(pool)).find(({ id }) => id === teamId)?.name ?? '';
      try {
        const worker = chooseWorker(room.workers.workers(), { tags, team, ...(platform ? { platform } : {}) });
        const { id } = await room.artifacts.upload(worker, `upload-${randomUUID()}`, tar, signal);
        return await createUploadedArtifact(pool, { teamId, name: '', artifactId: id });
      } catch (error) {
        throw inUserWords(error);
      }
    },
    async download({ artifactId }, signal) {
      try {
        return await room.artifacts.read({ id: artifactId }, signal);
      } catch (error) {
        if (error instanceof OrchestratorError && error.code === 'artifact-gone') return undefined;
        throw inUserWords(error);
      }
    },
  };
}

function checksOf(pool: pg.Pool): Checks {
  return {
    async start(of, request) {
      const asked = { ...request, manuallyTriggered: true };
      if ('prototypeId' in of) throw new Error('prototypes are not checked: nothing runs them yet');
      const build =
        'resourceId' in of
          ? await checkResource(pool, of.resourceId, asked)
          : await checkResourceType(pool, of.resourceTypeId, asked);
      if (!build) throw new Error('a check that was asked for was not started');
      return build;
    },
  };
}

function variablesOf(pool: pg.Pool, credentials: Credentials): PipelineVariables {
  return {
    async interpolate({ id, name, instanceVars, teamName }, text, signal) {
      const owner = { teamName, pipelineId: id, pipelineName: name };
      const variables = variablesFor(pool, credentials, {
        ...owner,
        ...(instanceVars ? { pipelineInstanceVars: instanceVars } : {}),
      });
      const lookup = (reference: VarReference) => variables.get(reference, signal);
      const placesOf = (reference: VarReference) => variables.placesOf(reference, signal);
      return String(await interpolate(text, lookup, { allowMissing: false, placesOf }));
    },
  };
}
