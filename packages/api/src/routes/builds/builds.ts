import { ConfigError, type Json, type Plan, parsePlan, publicPlan } from '@seaplane/config';
import {
  abortBuild,
  createOneOffBuild,
  findJob,
  listBuildArtifacts,
  readBuildPreparation,
  readBuildResources,
  readPublicPlan,
  setBuildComment,
} from '@seaplane/db';
import { type Context, Hono } from 'hono';
import * as v from 'valibot';
import { ApiError } from '../../api-error.ts';
import type { ApiEnv } from '../../auth/authenticate.ts';
import { buildToChange, buildToRead, open, pipeline, team, teamPipeline } from '../../auth/guards.ts';
import { may, nameOf, type Requester, teamsFor } from '../../auth/requester.ts';
import type { ApiContext } from '../../context.ts';
import { answerBuilds } from '../../http/list-builds.ts';
import { API, BUILD, PIPELINE, TEAM } from '../../http/paths.ts';
import { notFound } from '../../http/problem.ts';
import { readJson } from '../../http/read-json.ts';
import { artifactJson } from '../../json/artifact-json.ts';
import { buildJson } from '../../json/build-json.ts';

const commentBody = v.object({ comment: v.string() });

/** Builds by their numbers; their events are in build-events.ts. */
export function buildRoutes(context: ApiContext): Hono<ApiEnv> {
  const { pool } = context;
  const app = new Hono<ApiEnv>();

  app.get(`${API}/builds`, open(), (c) => {
    const teamIds = teamsFor(c.var.requester, 'ListBuilds');
    return answerBuilds(c, context, teamIds ? { teamIds, orPublic: true } : {});
  });

  app.get(`${TEAM}/builds`, team(pool, 'ListTeamBuilds'), (c) =>
    answerBuilds(c, context, { teamIds: [c.var.team.id] }),
  );

  app.get(`${PIPELINE}/builds`, pipeline(pool, 'ListPipelineBuilds'), (c) =>
    answerBuilds(c, context, { pipelineId: c.var.pipeline.id }, { pipeline: c.var.pipeline }),
  );

  app.post(`${TEAM}/builds`, team(pool, 'CreateBuild'), async (c) => {
    const owner = { teamId: c.var.team.id };
    return c.json(buildJson(await createOneOffBuild(pool, owner, await readPlan(c, c.var.requester))), 201);
  });

  app.post(`${PIPELINE}/builds`, teamPipeline(pool, 'CreatePipelineBuild'), async (c) => {
    const owner = { teamId: c.var.pipeline.teamId, pipelineId: c.var.pipeline.id };
    return c.json(buildJson(await createOneOffBuild(pool, owner, await readPlan(c, c.var.requester))), 201);
  });

  app.get(BUILD, buildToRead(pool, 'GetBuild'), async (c) => {
    const { build, requester } = c.var;
    const ofPublicJob = async () =>
      build.pipelineId !== undefined &&
      build.jobName !== undefined &&
      (await findJob(pool, build.pipelineId, build.jobName))?.public === true;
    const comment = may(requester, 'GetBuild', build.teamId) || (await ofPublicJob());
    return c.json(buildJson(build, { comment }));
  });

  app.get(`${BUILD}/plan`, buildToRead(pool, 'GetBuildPlan', 'ofPublicJobs'), async (c) => {
    const plan = await readPublicPlan(pool, c.var.build.id);
    if (!plan) return notFound(c, `Build ${c.var.build.id} has not started: it has no plan.`);
    return c.json({ schema: 'exec.v2', plan });
  });

  app.get(`${BUILD}/resources`, buildToRead(pool, 'BuildResources'), async (c) => {
    const { inputs, outputs } = await readBuildResources(pool, c.var.build.id);
    return c.json({
      inputs: inputs.map(({ name, version, firstOccurrence }) => ({
        name,
        version,
        pipeline_id: c.var.build.pipelineId ?? 0,
        first_occurrence: firstOccurrence,
      })),
      outputs: outputs.map(({ name, version }) => ({ name, version })),
    });
  });

  app.get(`${BUILD}/preparation`, buildToRead(pool, 'GetBuildPreparation', 'ofPublicJobs'), async (c) => {
    const found = await readBuildPreparation(pool, c.var.build.id);
    if (!found) return notFound(c, `There is no build ${c.var.build.id}.`);
    return c.json({
      build_id: found.buildId,
      paused_pipeline: found.pausedPipeline,
      paused_job: found.pausedJob,
      max_running_builds: found.maxRunningBuilds,
      inputs: found.inputs,
      inputs_satisfied: found.inputsSatisfied,
      missing_input_reasons: found.missingInputReasons,
    });
  });

  app.get(`${BUILD}/artifacts`, buildToRead(pool, 'ListBuildArtifacts', 'ofPublicJobs'), async (c) =>
    c.json((await listBuildArtifacts(pool, c.var.build.id)).map(artifactJson)),
  );

  app.put(`${BUILD}/abort`, buildToChange(pool, 'AbortBuild'), async (c) => {
    await abortBuild(pool, c.var.build.id);
    return c.body(null, 204);
  });

  app.put(`${BUILD}/comment`, buildToChange(pool, 'SetBuildComment'), async (c) => {
    const { comment } = await readJson(c, commentBody);
    await setBuildComment(pool, c.var.build.id, comment);
    return c.body(null, 200);
  });
  return app;
}

/** The plan that `fly execute` made, for a build of the one who sent it. */
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
