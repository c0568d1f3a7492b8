import {
  findJob,
  findResource,
  type Job,
  listTypes,
  type NamedType,
  type Pipeline,
  type Queryable,
  type Resource,
} from '@seaplane/db';
import { ApiError } from '../api-error.ts';
import type { Guard } from '../http/router.ts';

// Each runs after the guard of a pipeline and finds the part of the pipeline that the path names, or throws a 404.

type Finder<Found extends object> = Guard<{ pipeline: Pipeline } & Found>;

export function job(db: Queryable): Finder<{ job: Job }> {
  return async (c, next) => {
    const name = c.req.param('job') ?? '';
    const found = await findJob(db, c.var.pipeline.id, name);
    if (!found) throw new ApiError('not-found', `There is no job '${name}' in pipeline '${c.var.pipeline.name}'.`);
    c.set('job', found);
    return next();
  };
}

export function resource(db: Queryable): Finder<{ resource: Resource }> {
  return async (c, next) => {
    const name = c.req.param('resource') ?? '';
    const found = await findResource(db, c.var.pipeline.id, name);
    if (!found) throw new ApiError('not-found', `There is no resource '${name}' in pipeline '${c.var.pipeline.name}'.`);
    c.set('resource', found);
    return next();
  };
}

/** A resource type or prototype. */
export function namedType(db: Queryable, kind: 'resource_type' | 'prototype'): Finder<{ type: NamedType }> {
  return async (c, next) => {
    const name = c.req.param('type') ?? '';
    const found = (await listTypes(db, kind, c.var.pipeline.id)).find((each) => each.name === name);
    const what = kind === 'prototype' ? 'prototype' : 'resource type';
    if (!found) throw new ApiError('not-found', `There is no ${what} '${name}' in pipeline '${c.var.pipeline.name}'.`);
    c.set('type', found);
    return next();
  };
}
