import { type ConfigWarning, checkIdentifier, type IdentifierProblem, parsePipeline } from '@seaplane/config';
import { configToSave, DbError, readConfigText, savePipeline } from '@seaplane/db';
import { type Context, Hono } from 'hono';
import type { ApiEnv } from '../../auth/authenticate.ts';
import { team, teamPipeline } from '../../auth/guards.ts';
import type { ApiContext } from '../../context.ts';
import { PIPELINE } from '../../http/paths.ts';
import { pipelineRef } from '../../http/pipeline-ref.ts';
import { notFound } from '../../http/problem.ts';
import { readText } from '../../http/read-text.ts';

const VERSION_HEADER = 'X-Concourse-Config-Version';
const FORMATS: Readonly<Record<string, 'json' | 'yaml'>> = {
  'application/json': 'json',
  'application/x-yaml': 'yaml',
};

export function pipelineConfigRoutes({ pool }: ApiContext): Hono<ApiEnv> {
  const app = new Hono<ApiEnv>();

  app.get(`${PIPELINE}/config`, teamPipeline(pool, 'GetConfig'), async (c) => {
    const saved = await readConfigText(pool, c.var.pipeline.id);
    if (!saved) return notFound(c, `Pipeline '${c.var.pipeline.name}' is archived: its configuration is gone.`);
    return c.body(`{"config":${saved.text}}`, 200, {
      'Content-Type': 'application/json',
      [VERSION_HEADER]: String(saved.version),
    });
  });

  app.put(`${PIPELINE}/config`, team(pool, 'SaveConfig'), async (c) => {
    const fromVersion = configVersion(c.req.header(VERSION_HEADER) ?? '');
    if (fromVersion === undefined) return invalid(c, ['config version is malformed: it is not a number']);
    const type = c.req.header('Content-Type') ?? '';
    const format = Object.hasOwn(FORMATS, type) ? FORMATS[type] : undefined;
    if (!format) return c.body(null, 415);
    const parsed = parsePipeline(await readText(c), { format });
    if (!parsed.ok) return invalid(c, parsed.errors);
    const ref = pipelineRef(c);
    const problems = [checkIdentifier(ref.name, ['pipeline']), checkIdentifier(c.var.team.name, ['team'])];
    const errors = problems.flatMap((problem) => (problem?.kind === 'error' ? [problem.message] : []));
    if (errors.length > 0) return invalid(c, errors);
    if (c.req.query('check_creds') !== undefined) {
      return invalid(c, ['credentials cannot be checked before they are used yet: leave --check-creds out']);
    }
    const request = { teamId: c.var.team.id, ref, pipeline: configToSave(parsed.config), fromVersion };
    const saved = await savePipeline(pool, request).catch((error: unknown) => {
      if (error instanceof DbError && ['name-taken', 'names-swapped'].includes(error.code)) return error;
      throw error;
    });
    if (saved instanceof DbError) return cannotSave(c, saved.message);
    if (saved.kind !== 'saved') return cannotSave(c, 'comparison with existing config failed during save');
    const warnings = [...parsed.warnings, ...problems.flatMap(warningOf)];
    return c.json(warnings.length > 0 ? { warnings } : {}, saved.created ? 201 : 200);
  });
  return app;
}

/** The version that the new configuration was made from; none when there was no pipeline, or an archived one. */
function configVersion(text: string): number | undefined {
  if (text === '') return 0;
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

function warningOf(problem: IdentifierProblem | undefined): ConfigWarning[] {
  return problem?.kind === 'warning' ? [problem.warning] : [];
}

/** As `fly set-pipeline` lists them. */
function invalid(c: Context, errors: readonly string[]): Response {
  return c.json({ errors }, 400);
}

function cannotSave(c: Context, reason: string): Response {
  return c.text(`failed to save config: ${reason}`, 500);
}
