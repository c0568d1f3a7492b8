import {
  type Build,
  findBuild,
  findJob,
  findPipeline,
  findPipelineById,
  findTeam,
  findWorker,
  type Pipeline,
  type Queryable,
  type Team,
  type Worker,
} from '@seaplane/db';
import type { Context, MiddlewareHandler } from 'hono';
import { parseId } from '../http/numbers.ts';
import { pipelineRef } from '../http/pipeline-ref.ts';
import { badRequest, forbidden, notFound, unauthorized } from '../http/problem.ts';
import type { Action } from './actions.ts';
import type { ApiEnv } from './authenticate.ts';
import { may, type Requester } from './requester.ts';

// One guard for each class of route (docs/concourse/fly-api.md, section 1). A guard answers the request itself or passes
// on the team, pipeline or build that it found, so that a handler sees only what its requester may see.

type Guard<Found extends object = object> = MiddlewareHandler<{ Variables: ApiEnv['Variables'] & Found }>;

/** Anybody; but a token that is sent must be good. */
export function open(): Guard {
  return async (c, next) => (c.var.requester.kind === 'rejected' ? unauthorized(c) : next());
}

/** Any user. */
export function authenticated(): Guard {
  return async (c, next) => (c.var.requester.kind === 'user' ? next() : unauthorized(c));
}

export function admin(): Guard {
  return async (c, next) => {
    const { requester } = c.var;
    if (requester.kind !== 'user') return unauthorized(c);
    return requester.admin ? next() : forbidden(c);
  };
}

/** Users with a role in any team. */
export function anyTeam(): Guard {
  return async (c, next) => {
    const { requester } = c.var;
    if (requester.kind !== 'user') return unauthorized(c);
    return requester.admin || requester.teams.some(({ roles }) => roles.length > 0) ? next() : forbidden(c);
  };
}

/** Members of the team of the path whose role is enough. Whether there is such a team is told to administrators only. */
export function team(db: Queryable, action: Action): Guard<{ team: Team }> {
  return async (c, next) => {
    const found = await findAllowedTeam(c, c.var.requester, db, action);
    if (found instanceof Response) return found;
    c.set('team', found);
    return next();
  };
}

/** The same, for a pipeline of that team. */
export function teamPipeline(db: Queryable, action: Action): Guard<{ pipeline: Pipeline }> {
  return async (c, next) => {
    const owner = await findAllowedTeam(c, c.var.requester, db, action);
    if (owner instanceof Response) return owner;
    const found = await findPipelineOf(c, db, owner);
    if (found instanceof Response) return found;
    c.set('pipeline', found);
    return next();
  };
}

/** Everybody for a public pipeline, else members of its team. */
export function pipeline(db: Queryable, action: Action): Guard<{ pipeline: Pipeline }> {
  return async (c, next) => {
    const owner = await findTeam(db, c.req.param('team') ?? '');
    if (!owner) return notFound(c, `There is no team '${c.req.param('team')}'.`);
    const found = await findPipelineOf(c, db, owner);
    if (found instanceof Response) return found;
    if (!found.public && !may(c.var.requester, action, owner.id)) return refuse(c, c.var.requester);
    c.set('pipeline', found);
    return next();
  };
}

/** After the guard of a pipeline: some things cannot be done once it is archived. */
export function notArchived(): Guard<{ pipeline: Pipeline }> {
  return async (c, next) =>
    c.var.pipeline.archived ? c.text('action not allowed for an archived pipeline', 409) : next();
}

/** Everybody for builds of a public pipeline (with `ofPublicJobs`: of its public jobs alone), else members of their team. */
export function buildToRead(db: Queryable, action: Action, only?: 'ofPublicJobs'): Guard<{ build: Build }> {
  return async (c, next) => {
    const found = await findBuildOf(c, db);
    if (found instanceof Response) return found;
    const allowed = may(c.var.requester, action, found.teamId) || (await isPublic(db, found, only === 'ofPublicJobs'));
    if (!allowed) return refuse(c, c.var.requester);
    c.set('build', found);
    return next();
  };
}

/** Members of a build's team whose role is enough. */
export function buildToChange(db: Queryable, action: Action): Guard<{ build: Build }> {
  return async (c, next) => {
    if (c.var.requester.kind !== 'user') return unauthorized(c);
    const found = await findBuildOf(c, db);
    if (found instanceof Response) return found;
    if (!may(c.var.requester, action, found.teamId)) return forbidden(c);
    c.set('build', found);
    return next();
  };
}

/** Administrators, and members of the team that the worker belongs to. */
export function worker(db: Queryable, action: Action): Guard<{ worker: Worker }> {
  return async (c, next) => {
    const { requester } = c.var;
    if (requester.kind !== 'user') return unauthorized(c);
    const found = await findWorker(db, c.req.param('worker') ?? '');
    if (!found) return notFound(c, `There is no worker '${c.req.param('worker')}'.`);
    const owned = found.teamId !== undefined && may(requester, action, found.teamId);
    if (!owned && !requester.admin) return forbidden(c);
    c.set('worker', found);
    return next();
  };
}

function refuse(c: Context, requester: Requester): Response {
  return requester.kind === 'user' ? forbidden(c) : unauthorized(c);
}

async function findAllowedTeam(
  c: Context,
  requester: Requester,
  db: Queryable,
  action: Action,
): Promise<Team | Response> {
  if (requester.kind !== 'user') return unauthorized(c);
  const name = c.req.param('team') ?? '';
  const found = await findTeam(db, name);
  if (found && may(requester, action, found.id)) return found;
  return requester.admin ? notFound(c, `There is no team '${name}'.`) : forbidden(c);
}

async function findPipelineOf(c: Context, db: Queryable, owner: Team): Promise<Pipeline | Response> {
  const ref = pipelineRef(c);
  const found = await findPipeline(db, owner.id, ref);
  return found ?? notFound(c, `There is no pipeline '${ref.name}'${ref.instanceVars ? ' with these vars' : ''}.`);
}

async function findBuildOf(c: Context, db: Queryable): Promise<Build | Response> {
  const text = c.req.param('build');
  const id = parseId(text);
  if (id === undefined) return badRequest(c, `'${text}' is not the number of a build`);
  return (await findBuild(db, id)) ?? notFound(c, `There is no build ${id}.`);
}

async function isPublic(db: Queryable, build: Build, ofPublicJob: boolean): Promise<boolean> {
  if (build.pipelineId === undefined) return false;
  const its = await findPipelineById(db, build.pipelineId);
  if (!its?.public) return false;
  if (!ofPublicJob) return true;
  const job = build.jobName === undefined ? undefined : await findJob(db, build.pipelineId, build.jobName);
  return job?.public === true;
}
