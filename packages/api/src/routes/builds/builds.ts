import { ConfigError, type Json, type Plan, parsePlan, publicPlan } from '@seaplane/config';
import {
  abortBuild,
  type Build,
  type BuildPreparation,
  createOneOffBuild,
  findJob,
  listBuildArtifacts,
  readBuildPreparation,
  readBuildResources,
  readPublicPlan,
  setBuildComment,
} from '@seaplane/db';
import type { Context } from 'hono';
import * as v from 'valibot';
import type { BuildPreparationAnswer, BuildResourcesAnswer } from '../../answers/build.ts';
import { ApiError } from '../../api-error.ts';
import { buildToChange, buildToRead, open, pipeline, team, teamPipeline } from '../../auth/guards.ts';
import { may, nameOf, type Requester, teamsFor } from '../../auth/requester.ts';
import { commentBody } from '../../bodies.ts';
import type { ApiContext } from '../../context.ts';
import { pageOfBuilds } from '../../http/list-builds.ts';
import { API, BUILD, PIPELINE, TEAM } from '../../http/paths.ts';
import { readJson } from '../../http/read-json.ts';
import { createRouter, type Router } from '../../http/router.ts';
import { artifactJson } from '../../json/artifact-json.ts';
import { buildJson } from '../../json/build-json.ts';

/** Builds, found by their numbers. The events of builds are in build-events.ts. */
export function buildRoutes(context: ApiContext): Router {
  const { pool } = context;
  const app = createRouter();

  app.get(`${API}/builds`, open(), (c) => {
    const teamIds = teamsFor(c.var.requester, 'ListBuilds');
    return pageOfBuilds(c, context, teamIds ? { teamIds, orPublic: true } : {});
  });

  app.get(`${TEAM}/builds`, team(pool, 'ListTeamBuilds'), (c) =>
    pageOfBuilds(c, context, { teamIds: [c.var.team.id] }),
  );

  app.get(`${PIPELINE}/builds`, pipeline(pool, 'ListPipelineBuilds'), (c) =>
    pageOfBuilds(c, context, { pipelineId: c.var.pipeline.id }, { pipeline: c.var.pipeline }),
  );

  app.post(`${TEAM}/builds`, team(pool, 'CreateBuild'), async (c) => {
    const plan = await readPlan(c, c.var.requester);
    c.status(201);
    return buildJson(await createOneOffBuild(pool, { teamId: c.var.team.id }, plan));
  });

  app.post(`${PIPELINE}/builds`, teamPipeline(pool, 'CreatePipelineBuild'), async (c) => {
    const owner = { teamId: c.var.pipeline.teamId, pipelineId: c.var.pipeline.id };
    const plan = await readPlan(c, c.var.requester);
    c.status(201);
    return buildJson(await createOneOffBuild(pool, owner, plan));
  });

  app.get(BUILD, buildToRead(pool, 'GetBuild'), async (c) => {
    const { build, requester } = c.var;
    const ofPublicJob = async () =>
      build.pipelineId !== undefined &&
      build.jobName !== undefined &&
      (await findJob(pool, build.pipelineId, build.jobName))?.public === true;
    const comment = may(requester, 'GetBuild', build.teamId) || (await ofPublicJob());
    return buildJson(build, { comment });
  });

  app.get(`${BUILD}/plan`, buildToRead(pool, 'GetBuildPlan', 'ofPublicJobs'), async (c) => {
    const plan = await readPublicPlan(pool, c.var.build.id);
    if (!plan) throw new ApiError('not-found', `Build ${c.var.build.id} has not started: it has no plan.`);
    return { schema: 'exec.v2', plan };
  });

  app.get(`${BUILD}/resources`, buildToRead(pool, 'BuildResources'), async (c) => {
    return resourcesOf(c.var.build, await readBuildResources(pool, c.var.build.id));
  });

  app.get(`${BUILD}/preparation`, buildToRead(pool, 'GetBuildPreparation', 'ofPublicJobs'), async (c) => {
    const found = await readBuildPreparation(pool, c.var.build.id);
    if (!found) throw new ApiError('not-found', `There is no build ${c.var.build.id}.`);
    return preparationJson(found);
  });

  app.get(`${BUILD}/artifacts`, buildToRead(pool, 'ListBuildArtifacts', 'ofPublicJobs'), async (c) =>
    (await listBuildArtifacts(pool, c.var.build.id)).map(artifactJson),
  );

  app.put(`${BUILD}/abort`, buildToChange(pool, 'AbortBuild'), async (c) => {
    await abortBuild(pool, c.var.build.id);
    c.status(204);
  });

  app.put(`${BUILD}/comment`, buildToChange(pool, 'SetBuildComment'), async (c) => {
    const { comment } = await readJson(c, commentBody);
    await setBuildComment(pool, c.var.build.id, comment);
  });
  return app;
}

function resourcesOf(
  { pipelineId = 0 }: Build,
  { inputs, outputs }: Awaited<ReturnType<typeof readBuildResources>>,
): BuildResourcesAnswer {
  return {
    inputs: inputs.map(({ name, version, firstOccurrence }) => ({
      name,
      version,
      pipeline_id: pipelineId,
      first_occurrence: firstOccurrence,
    })),
    outputs: outputs.map(({ name, version }) => ({ name, version })),
  };
}

function preparationJson(found: BuildPreparation): BuildPreparationAnswer {
  return {
    build_id: found.buildId,
    paused_pipeline: found.pausedPipeline,
    paused_job: found.pausedJob,
    max_running_builds: found.maxRunningBuilds,
    inputs: found.inputs,
    inputs_satisfied: found.inputsSatisfied,
    missing_input_reasons: found.missingInputReasons,
  };
}

/** Reads the plan that `fly execute` made. The build belongs to the requester. */
async function readPlan(c: Context, requester: Requester) {
  const plan = planOf(await readJson(c, v.unknown()));
  const createdBy = nameOf(requester);
  return { plan, publicPlan: publicPlan(plan), ...(createdBy && { createdBy }) };
}

function planOf(json: unknown): Plan {
  try {
    return parsePlan(json as Json);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ApiError('bad-request', error.message, { cause: error });
  }
}
