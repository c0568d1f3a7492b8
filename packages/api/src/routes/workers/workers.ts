import { assertNever } from '@seaplane/config';
import { landWorker, listVolumes, listWorkers, pruneWorker, retireWorker, type Worker } from '@seaplane/db';
import type { WorkerAnswer } from '../../answers/worker.ts';
import { ApiError } from '../../api-error.ts';
import { anyTeam, team, worker } from '../../auth/guards.ts';
import { teamsFor } from '../../auth/requester.ts';
import type { ApiContext } from '../../context.ts';
import { API, TEAM, WORKER } from '../../http/paths.ts';
import { createRouter, type Router } from '../../http/router.ts';
import { unixSeconds } from '../../json/unix-seconds.ts';
import { volumeJson } from '../../json/volume-json.ts';

const RUNNING = 'cannot prune running worker';
/** The problems themselves name addresses and files of the installation. */
const HAS_PROBLEMS = 'has problems; administrators see them';

/** Targets, which fly calls workers. */
export function workerRoutes({ pool }: ApiContext): Router {
  const app = createRouter();

  app.get(`${API}/workers`, anyTeam(), async (c) => {
    const teams = teamsFor(c.var.requester, 'ListWorkers');
    const isAdmin = teams === undefined;
    return (await listWorkers(pool, teams)).map((found) => workerJson(found, isAdmin));
  });

  app.put(`${WORKER}/land`, worker(pool, 'LandWorker'), async (c) => {
    await landWorker(pool, c.var.worker.name);
  });

  app.put(`${WORKER}/retire`, worker(pool, 'RetireWorker'), async (c) => {
    await retireWorker(pool, c.var.worker.name);
  });

  app.put(`${WORKER}/prune`, worker(pool, 'PruneWorker'), async (c) => {
    const result = await pruneWorker(pool, c.var.worker.name);
    switch (result) {
      case 'done':
        return;
      case 'running':
        throw new ApiError('bad-request', RUNNING, { json: { stderr: RUNNING } });
      case 'unknown':
        throw new ApiError('not-found', `There is no worker '${c.var.worker.name}'.`);
      default:
        return assertNever(result);
    }
  });

  app.get(`${TEAM}/volumes`, team(pool, 'ListVolumes'), async (c) =>
    (await listVolumes(pool, c.var.team.id)).map(volumeJson),
  );
  return app;
}

function workerJson(found: Worker, isAdmin: boolean): WorkerAnswer {
  return {
    addr: isAdmin || found.problems.length === 0 ? found.problems.join('; ') : HAS_PROBLEMS,
    baggageclaim_url: found.way ?? '',
    active_containers: found.activeSandboxes,
    active_volumes: found.storedArtifacts,
    active_tasks: found.activeTasks,
    resource_types: found.baseTypes,
    platform: found.platform,
    tags: found.tags,
    team: found.teamName ?? '',
    name: found.name,
    version: found.version,
    start_time: unixSeconds(found.startedAt),
    ephemeral: found.ephemeral,
    state: found.state,
  };
}
