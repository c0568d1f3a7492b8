import { findSandbox, listSandboxes, type Queryable, type Sandbox, type SandboxFilter, type Team } from '@seaplane/db';
import type { Context } from 'hono';
import * as v from 'valibot';
import { ApiError } from '../../api-error.ts';
import { team } from '../../auth/guards.ts';
import { forbidden } from '../../auth/refusals.ts';
import type { ApiContext } from '../../context.ts';
import { parseId } from '../../http/numbers.ts';
import { CONTAINER, TEAM } from '../../http/paths.ts';
import { pipelineRef } from '../../http/pipeline-ref.ts';
import { createRouter, type Router } from '../../http/router.ts';
import { containerJson } from '../../json/container-json.ts';

const sandboxType = v.picklist(['check', 'get', 'put', 'task', 'run']);

/** Sandboxes, which fly calls containers. */
export function containerRoutes({ pool, clock }: ApiContext): Router {
  const app = createRouter();

  app.get(`${TEAM}/containers`, team(pool, 'ListContainers'), async (c) =>
    (await listSandboxes(pool, c.var.team.id, filterOf(c))).map((sandbox) => containerJson(sandbox, clock.now())),
  );

  app.get(CONTAINER, team(pool, 'GetContainer'), async (c) => {
    return containerJson(await findOwn(pool, c.var.team, c.req.param('handle')), clock.now());
  });

  // hijackUpgrade sends the same request here first. It opens the WebSocket if the answer is 426.
  app.get(`${CONTAINER}/hijack`, team(pool, 'HijackContainer'), async (c) => {
    const found = await findOwn(pool, c.var.team, c.req.param('handle'));
    const { requester } = c.var;
    const admin = requester.kind === 'user' && requester.admin;
    // Checks of several resources share it, and a member of one team must not see the others'.
    if (found.shared && !admin) throw forbidden('only administrators may enter containers of checks');
    throw new ApiError('upgrade-required', 'to hijack a container, open a WebSocket\n');
  });
  return app;
}

/** Another team's container is as good as none: nobody learns that it exists. */
async function findOwn(db: Queryable, owner: Team, handle: string): Promise<Sandbox> {
  const found = await findSandbox(db, handle);
  if (found?.teamId !== owner.id) throw new ApiError('not-found', `There is no container '${handle}'.`);
  return found;
}

/** The filter that fly sends. A check is found by its resource, which is in exactly one pipeline. */
function filterOf(c: Context): SandboxFilter {
  const text = (name: string) => c.req.query(name) || undefined;
  const number = (name: string) => {
    const given = text(name);
    const id = parseId(given);
    if (given !== undefined && id === undefined) {
      throw new ApiError('bad-request', `non-numeric '${name}' param (${given})`);
    }
    return id;
  };
  const type = text('type');
  if (type !== undefined && !v.is(sandboxType, type)) {
    throw new ApiError('bad-request', `unrecognized container type: ${type}`);
  }
  const { instanceVars } = pipelineRef(c);
  const resourceName = text('resource_name');
  return given({
    type,
    stepName: text('step_name'),
    attempt: text('attempt'),
    pipelineId: number('pipeline_id'),
    jobId: number('job_id'),
    buildId: number('build_id'),
    pipelineName: text('pipeline_name'),
    jobName: text('job_name'),
    buildName: text('build_name'),
    resourceName,
    instanceVars: instanceVars ?? (resourceName === undefined ? undefined : null),
  });
}

type Undefined<T> = { [K in keyof T]?: T[K] | undefined };

function given(filter: Undefined<SandboxFilter>): SandboxFilter {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
}
