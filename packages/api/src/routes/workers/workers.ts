import { landWorker, listWorkers, pruneWorker, retireWorker, type Worker } from '@seaplane/db';
import { Hono } from 'hono';
import type { ApiEnv } from '../../auth/authenticate.ts';
import { anyTeam, team, worker } from '../../auth/guards.ts';
import { teamsFor } from '../../auth/requester.ts';
import type { ApiContext } from '../../context.ts';
import { API, TEAM, WORKER } from '../../http/paths.ts';
import { notFound } from '../../http/problem.ts';
import { unixSeconds } from '../../json/unix-seconds.ts';

/** Targets, which fly calls workers. */
export function workerRoutes({ pool }: ApiContext): Hono<ApiEnv> {
  const app = new Hono<ApiEnv>();

  app.get(`${API}/workers`, anyTeam(), async (c) => {
    const workers = await listWorkers(pool, teamsFor(c.var.requester, 'ListWorkers'));
    return c.json(workers.map(workerJson));
  });

  app.put(`${WORKER}/land`, worker(pool, 'LandWorker'), async (c) => {
    await landWorker(pool, c.var.worker.name);
    return c.body(null, 200);
  });

  app.put(`${WORKER}/retire`, worker(pool, 'RetireWorker'), async (c) => {
    await retireWorker(pool, c.var.worker.name);
    return c.body(null, 200);
  });

  app.put(`${WORKER}/prune`, worker(pool, 'PruneWorker'), async (c) => {
    switch (await pruneWorker(pool, c.var.worker.name)) {
      case 'done':
        return c.body(null, 200);
      case 'running':
        return c.json({ stderr: 'cannot prune running worker' }, 400);
      case 'unknown':
        return notFound(c, `There is no worker '${c.var.worker.name}'.`);
    }
  });

  // Artifacts are not shown as volumes: they are no mounts, and belong to no container.
  app.get(`${TEAM}/volumes`, team(pool, 'ListVolumes'), (c) => c.json([]));
  return app;
}

/** What is wrong with a worker stands where `fly workers -d` shows its address, which ours do not have. */
function workerJson(found: Worker): object {
  return {
    addr: found.problems.join('; '),
    baggageclaim_url: '',
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
