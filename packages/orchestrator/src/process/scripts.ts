import type { Json, JsonObject, MetadataField, Version } from '@seaplane/config';
import type { FetchedVersion } from '@seaplane/engine';
import { OrchestratorError } from '../orchestrator-error.ts';
import { endOfFirstValue } from './first-json-value.ts';

/** The JSON that a resource script reads from stdin. It has `params` and `version` only if there are any. */
export function scriptInput(source: JsonObject, extra: { params?: JsonObject; version?: Version }): string {
  const params = extra.params && Object.keys(extra.params).length > 0 ? { params: extra.params } : {};
  const version = extra.version ? { version: extra.version } : {};
  return JSON.stringify({ source, ...params, ...version });
}

/** Parses the answer of `check`: versions, oldest first. Empty output means no versions. */
export function parseVersions(script: string, stdout: string): Version[] {
  const answer = parseAnswer(script, stdout);
  if (answer === undefined || answer === null) return [];
  if (!Array.isArray(answer)) throw malformed(script, 'a list of versions', stdout);
  return answer.map((version) => asVersion(script, version, stdout));
}

/**
 * Parses the answer of `in` and `out`. An `in` that names no version has fetched the version it was asked for, which is
 * `asked`; an `out` must name one.
 */
export function parseFetched(script: string, stdout: string, asked?: Version): FetchedVersion {
  const answer = parseAnswer(script, stdout);
  const { version: given, metadata } = (isObject(answer) ? answer : {}) as { version?: Json; metadata?: Json };
  const namesNone = given === undefined || given === null || (isObject(given) && Object.keys(given).length === 0);
  const version = namesNone && asked ? asked : given;
  if (version === undefined || version === null) {
    throw new OrchestratorError('bad-script-output', `resource script (${script}) output a null version`);
  }
  const fields = Array.isArray(metadata) ? metadata : [];
  return { version: asVersion(script, version, stdout), metadata: fields.map(asMetadata) };
}

/** The first JSON value on stdout. The rest is ignored, as Concourse does. */
function parseAnswer(script: string, stdout: string): Json | undefined {
  const text = stdout.trimStart();
  if (text === '') return undefined;
  try {
    return JSON.parse(text.slice(0, endOfFirstValue(text))) as Json;
  } catch {
    throw malformed(script, 'JSON', stdout);
  }
}

function asVersion(script: string, value: Json, stdout: string): Version {
  if (!isObject(value)) throw malformed(script, 'a version of strings', stdout);
  const entries = Object.entries(value);
  if (entries.length === 0)
    throw new OrchestratorError('bad-script-output', `resource script (${script}) output an empty version`);
  if (!entries.every(([, field]) => typeof field === 'string')) throw malformed(script, 'a version of strings', stdout);
  return value as Version;
}

function asMetadata(value: Json): MetadataField {
  const { name, value: text } = (isObject(value) ? value : {}) as { name?: Json; value?: Json };
  return { name: String(name ?? ''), value: String(text ?? '') };
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function malformed(script: string, wanted: string, stdout: string): OrchestratorError {
  const shown = stdout.length > 200 ? `${stdout.slice(0, 200)}...` : stdout;
  return new OrchestratorError(
    'bad-script-output',
    `resource script (${script}) must answer with ${wanted}, not: ${shown}`,
  );
}
