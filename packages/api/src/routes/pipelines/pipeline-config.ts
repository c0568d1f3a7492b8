import {
  type ConfigWarning,
  checkIdentifier,
  credentialUses,
  DOCUMENT_LIMITS,
  decodeYaml,
  type IdentifierProblem,
  type PipelineResult,
  parseJson,
  readPipeline,
  refusePipeline,
  type YamlParser,
} from '@seaplane/config';
import { configToSave, DbError, readConfigText, savePipeline } from '@seaplane/db';
import type { ConfigAnswer } from '../../answers/pipeline.ts';
import type { ConfigErrorsAnswer } from '../../answers/refusal.ts';
import { ApiError } from '../../api-error.ts';
import { team, teamPipeline } from '../../auth/guards.ts';
import type { ApiContext } from '../../context.ts';
import { JsonText } from '../../http/json-text.ts';
import { PIPELINE } from '../../http/paths.ts';
import { pipelineRef } from '../../http/pipeline-ref.ts';
import { readBytes } from '../../http/read-text.ts';
import { createRouter, type Router } from '../../http/router.ts';

const VERSION_HEADER = 'X-Concourse-Config-Version';
const FORMATS: Readonly<Record<string, 'json' | 'yaml'>> = {
  'application/json': 'json',
  'application/x-yaml': 'yaml',
};

export function pipelineConfigRoutes({ pool, yaml, variables }: ApiContext): Router {
  const app = createRouter();

  app.get(`${PIPELINE}/config`, teamPipeline(pool, 'GetConfig'), async (c) => {
    const saved = await readConfigText(pool, c.var.pipeline.id);
    if (!saved)
      throw new ApiError('not-found', `Pipeline '${c.var.pipeline.name}' is archived: its configuration is gone.`);
    c.header(VERSION_HEADER, String(saved.version));
    return new JsonText<ConfigAnswer>(`{"config":${saved.text}}`);
  });

  app.put(`${PIPELINE}/config`, team(pool, 'SaveConfig'), async (c) => {
    const fromVersion = configVersion(c.req.header(VERSION_HEADER) ?? '');
    if (fromVersion === undefined) throw invalid(['config version is malformed: it is not a number']);
    const type = c.req.header('Content-Type') ?? '';
    const format = Object.hasOwn(FORMATS, type) ? FORMATS[type] : undefined;
    if (!format) throw new ApiError('unsupported-type', '');
    const body = await readBytes(c, DOCUMENT_LIMITS.pipeline);
    const parsed = await parsePipeline(yaml, body, format, c.req.raw.signal);
    if (!parsed.ok) throw invalid(parsed.errors);
    const ref = pipelineRef(c);
    const problems = [checkIdentifier(ref.name, ['pipeline']), checkIdentifier(c.var.team.name, ['team'])];
    const errors = problems.flatMap((problem) => (problem?.kind === 'error' ? [problem.message] : []));
    if (errors.length > 0) throw invalid(errors);
    if (c.req.query('check_creds') !== undefined) {
      const unsaved = { teamName: c.var.team.name, ref, sources: parsed.config.var_sources };
      const found = await variables.findProblems(unsaved, credentialUses(parsed.config), c.req.raw.signal);
      if (found.length > 0) throw invalid([`credential validation failed\n\n${listErrors(found)}`]);
    }
    const request = { teamId: c.var.team.id, ref, pipeline: configToSave(parsed.config), fromVersion };
    const saved = await savePipeline(pool, request).catch((error: unknown) => {
      if (error instanceof DbError && ['name-taken', 'names-swapped'].includes(error.code))
        throw unsaved(error.message);
      throw error;
    });
    if (saved.kind !== 'saved') throw unsaved('comparison with existing config failed during save');
    const warnings = [...parsed.warnings, ...problems.flatMap(warningOf)];
    c.status(saved.created ? 201 : 200);
    return warnings.length > 0 ? { warnings } : {};
  });
  return app;
}

async function parsePipeline(
  yaml: YamlParser,
  body: Uint8Array,
  format: 'json' | 'yaml',
  signal: AbortSignal,
): Promise<PipelineResult> {
  try {
    const isJson = format === 'json';
    return readPipeline(
      isJson ? parseJson(new TextDecoder().decode(body)) : await yaml.parse(decodeYaml(body), signal),
    );
  } catch (error) {
    return refusePipeline(error);
  }
}

/** The version that the new configuration was made from: 0 if there was no pipeline, or an archived one. */
function configVersion(text: string): number | undefined {
  if (text === '') return 0;
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

function warningOf(problem: IdentifierProblem | undefined): ConfigWarning[] {
  return problem?.kind === 'warning' ? [problem.warning] : [];
}

/** As Concourse lists several errors in one text. */
function listErrors(errors: readonly string[]): string {
  const count = errors.length === 1 ? '1 error' : `${errors.length} errors`;
  return `${count} occurred:\n\t${errors.map((error) => `* ${error}`).join('\n\t')}\n\n`;
}

/** `fly set-pipeline` lists the errors. */
function invalid(errors: readonly string[]): ApiError {
  const json: ConfigErrorsAnswer = { errors };
  return new ApiError('bad-request', errors.join('\n'), { json });
}

function unsaved(reason: string): ApiError {
  return new ApiError('failed', `failed to save config: ${reason}`);
}
