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
import type { Context } from 'hono';
import { ApiError } from '../api-error.ts';
import { parseId } from '../http/numbers.ts';
import { pipelineRef } from '../http/pipeline-ref.ts';
import type { Guard } from '../http/router.ts';
import type { Action } from './actions.ts';
import { forbidden, unauthorized } from './refusals.ts';
import { may, type Requester, type User } from './requester.ts';

// One guard for each class of route (docs/concourse/fly-api.md, section 1). A guard either throws the refusal or hands on
// what it has found, so that a handler sees only what its requester may see.

/** Everybody. A token that is sent must be good. */
export function open(): Guard {
  return (c, next) => {
    if (c.var.requester.kind === 'rejected') throw unauthorized();
    return next();
  };
}

/** Every user. */
export function authenticated(): Guard<{ requester: User }> {
  return (c, next) => {
    requireUser(c.var.requester);
    return next();
  };
}

export function admin(): Guard {
  return (c, next) => {
    if (!requireUser(c.var.requester).admin) throw forbidden();
    return next();
  };
}

/** Users with a role in any team. */
export function anyTeam(): Guard {
  return (c, next) => {
    const user = requireUser(c.var.requester);
    if (!user.admin && user.teams.every(({ roles }) => roles.length === 0)) throw forbidden();
    return next();
  };
}

/** Members of the team in the path whose role is enough. Only administrators learn whether the team exists. */
export function team(db: Queryable, action: Action): Guard<{ team: Team }> {
  return async (c, next) => {
    c.set('team', await findAllowedTeam(c, c.var.requester, db, action));
    return next();
  };
}

/** The same, for a pipeline of that team. */
export function teamPipeline(db: Queryable, action: Action): Guard<{ pipeline: Pipeline }> {
  return async (c, next) => {
    const owner = await findAllowedTeam(c, c.var.requester, db, action);
    c.set('pipeline', await findPipelineOf(c, db, owner));
    return next();
  };
}

/** Everybody for a public pipeline; otherwise members of its team. */
export function pipeline(db: Queryable, action: Action): Guard<{ pipeline: Pipeline }> {
  return async (c, next) => {
    const owner = await findTeam(db, c.req.param('team') ?? '');
    if (!owner) throw new ApiError('not-found', `There is no team '${c.req.param('team')}'.`);
    const found = await findPipelineOf(c, db, owner);
    if (!found.public && !may(c.var.requester, action, owner.id)) throw refusalOf(c.var.requester);
    c.set('pipeline', found);
    return next();
  };
}

/** For actions that an archived pipeline does not allow. Runs after the guard of the pipeline. */
export function notArchived(): Guard<{ pipeline: Pipeline }> {
  return (c, next) => {
    if (c.var.pipeline.archived) throw new ApiError('conflict', 'action not allowed for an archived pipeline');
    return next();
  };
}

/**
 * Everybody for builds of a public pipeline (with `ofPublicJobs`: only for builds of its public jobs); otherwise members
 * of the build's team.
 */
export function buildToRead(db: Queryable, action: Action, only?: 'ofPublicJobs'): Guard<{ build: Build }> {
  return async (c, next) => {
    const found = await findBuildOf(c, db);
    const allowed = may(c.var.requester, action, found.teamId) || (await isPublic(db, found, only === 'ofPublicJobs'));
    if (!allowed) throw refusalOf(c.var.requester);
    c.set('build', found);
    return next();
  };
}

/** Members of the build's team whose role is enough. */
export function buildToChange(db: Queryable, action: Action): Guard<{ build: Build }> {
  return async (c, next) => {
    const user = requireUser(c.var.requester);
    const found = await findBuildOf(c, db);
    if (!may(user, action, found.teamId)) throw forbidden();
    c.set('build', found);
    return next();
  };
}

/** Administrators, and members of the team that the worker belongs to. */
export function worker(db: Queryable, action: Action): Guard<{ worker: Worker }> {
  return async (c, next) => {
    const user = requireUser(c.var.requester);
    const found = await findWorker(db, c.req.param('worker') ?? '');
    if (!found) throw new ApiError('not-found', `There is no worker '${c.req.param('worker')}'.`);
    const owned = found.teamId !== undefined && may(user, action, found.teamId);
    if (!owned && !user.admin) throw forbidden();
    c.set('worker', found);
    return next();
  };
}

function requireUser(requester: Requester): User {
  if (requester.kind !== 'user') throw unauthorized();
  return requester;
}

function refusalOf(requester: Requester): ApiError {
  return requester.kind === 'user' ? forbidden() : unauthorized();
}

async function findAllowedTeam(c: Context, requester: Requester, db: Queryable, action: Action): Promise<Team> {
  const user = requireUser(requester);
  const name = c.req.param('team') ?? '';
  const found = await findTeam(db, name);
  if (found && may(user, action, found.id)) return found;
  throw user.admin ? new ApiError('not-found', `There is no team '${name}'.`) : forbidden();
}

async function findPipelineOf(c: Context, db: Queryable, owner: Team): Promise<Pipeline> {
  const ref = pipelineRef(c);
  const found = await findPipeline(db, owner.id, ref);
  if (found) return found;
  throw new ApiError('not-found', `There is no pipeline '${ref.name}'${ref.instanceVars ? ' with these vars' : ''}.`);
}

async function findBuildOf(c: Context, db: Queryable): Promise<Build> {
  const text = c.req.param('build');
  const id = parseId(text);
  if (id === undefined) throw new ApiError('bad-request', `'${text}' is not the number of a build`);
  const found = await findBuild(db, id);
  if (!found) throw new ApiError('not-found', `There is no build ${id}.`);
  return found;
}

async function isPublic(db: Queryable, build: Build, ofPublicJob: boolean): Promise<boolean> {
  if (build.pipelineId === undefined) return false;
  const its = await findPipelineById(db, build.pipelineId);
  if (!its?.public) return false;
  if (!ofPublicJob) return true;
  const job = build.jobName === undefined ? undefined : await findJob(db, build.pipelineId, build.jobName);
  return job?.public === true;
}
