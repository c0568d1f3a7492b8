import { findSandbox, listSandboxes, type Queryable, type Sandbox, type SandboxFilter, type Team } from '@seaplane/db';
import { type Context, Hono } from 'hono';
import * as v from 'valibot';
import { ApiError } from '../../api-error.ts';
import type { ApiEnv } from '../../auth/authenticate.ts';
import { team } from '../../auth/guards.ts';
import type { ApiContext } from '../../context.ts';
import { parseId } from '../../http/numbers.ts';
import { CONTAINER, TEAM } from '../../http/paths.ts';
import { pipelineRef } from '../../http/pipeline-ref.ts';
import { forbidden, notFound } from '../../http/problem.ts';
import { containerJson } from '../../json/container-json.ts';

const sandboxType = v.picklist(['check', 'get', 'put', 'task', 'run']);

/** Sandboxes, which fly calls containers. */
export function containerRoutes({ pool }: ApiContext): Hono<ApiEnv> {
  const app = new Hono<ApiEnv>();

  app.get(`${TEAM}/containers`, team(pool, 'ListContainers'), async (c) =>
    c.json((await listSandboxes(pool, c.var.team.id, filterOf(c))).map(containerJson)),
  );

  app.get(CONTAINER, team(pool, 'GetContainer'), async (c) => {
    const found = await findOwn(pool, c.var.team, c.req.param('handle'));
    return found ? c.json(containerJson(found)) : noSuchContainer(c);
  });

  // A hijack is a WebSocket, which hijackUpgrade opens for who is answered 426 here.
  app.get(`${CONTAINER}/hijack`, team(pool, 'HijackContainer'), async (c) => {
    const found = await findOwn(pool, c.var.team, c.req.param('handle'));
    if (!found) return noSuchContainer(c);
    const { requester } = c.var;
    const admin = requester.kind === 'user' && requester.admin;
    // Checks of several resources meet in it, so what is in there is not one team member's to see.
    if (found.shared && !admin) return forbidden(c, 'containers of checks are for administrators');
    return c.text('to hijack a container, open a WebSocket\n', 426, { Upgrade: 'websocket' });
  });
  return app;
}

/** Whether there is a container of another team's is not told. */
async function findOwn(db: Queryable, owner: Team, handle: string): Promise<Sandbox | undefined> {
  const found = await findSandbox(db, handle);
  return found?.teamId === owner.id ? found : undefined;
}

function noSuchContainer(c: Context): Response {
  return notFound(c, `There is no container '${c.req.param('handle')}'.`);
}

/** As fly asks. A check is looked for by its resource, which is in the one pipeline that is meant. */
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
