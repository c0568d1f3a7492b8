import { assertNever } from '../assert-never.ts';
import { isJsonObject } from '../fields.ts';
import type { VarSourceConfig } from '../pipeline/pipeline.ts';
import { isDuration, parseDuration } from '../text/duration.ts';
import { goType } from '../text/go-text.ts';
import type { Json, JsonObject } from '../values.ts';

/** `create`: the configuration cannot be read. `use`: it can be read, but not used. */
type Problem = { readonly kind: 'create' | 'use'; readonly text: string };
type Kind = 'string' | 'bool' | 'duration' | 'strings' | 'map';

const VAULT_FIELDS: Readonly<Record<string, Kind>> = {
  url: 'string',
  path_prefix: 'string',
  lookup_templates: 'strings',
  shared_path: 'string',
  namespace: 'string',
  login_timeout: 'duration',
  query_timeout: 'duration',
  disable_srv_lookup: 'bool',
  enable_kv_mount_cache: 'bool',
  ca_cert: 'string',
  client_cert: 'string',
  client_key: 'string',
  server_name: 'string',
  insecure_skip_verify: 'bool',
  client_token: 'string',
  client_token_path: 'string',
  auth_backend: 'string',
  auth_backend_max_ttl: 'duration',
  auth_retry_max: 'duration',
  auth_retry_initial: 'duration',
  auth_params: 'map',
};

const AWS_FIELDS: Readonly<Record<string, Kind>> = {
  access_key: 'string',
  secret_key: 'string',
  session_token: 'string',
  region: 'string',
  pipeline_secret_template: 'string',
  team_secret_template: 'string',
};

/** The types of var sources that Concourse allows in a pipeline. */
const VAR_SOURCE_TYPES = ['vault', 'dummy', 'ssm', 'secretsmanager', 'idtoken'] as const;
export type VarSourceType = (typeof VAR_SOURCE_TYPES)[number];

export function isVarSourceType(type: string): type is VarSourceType {
  return (VAR_SOURCE_TYPES as readonly string[]).includes(type);
}

/** A message about the first mistake in a source's configuration. Undefined: there is none. */
export function checkVarSourceConfig(type: VarSourceType, source: VarSourceConfig): string | undefined {
  const problem = check(type, source.config ?? null);
  if (problem === undefined) return undefined;
  return problem.kind === 'create'
    ? `failed to create credential manager ${source.name}: ${problem.text}`
    : `credential manager ${source.name} is invalid: ${problem.text}`;
}

function check(type: VarSourceType, config: Json): Problem | undefined {
  switch (type) {
    case 'dummy':
      return checkDummy(config);
    case 'idtoken':
      return checkIdToken(config);
    case 'vault':
      return isJsonObject(config) ? checkVault(config) : create('invalid vault config format');
    case 'ssm':
      return checkAws(config, { ...AWS_FIELDS, shared_path: 'string' });
    case 'secretsmanager':
      return checkAws(config, { ...AWS_FIELDS, shared_secret_template: 'string' });
    default:
      return assertNever(type);
  }
}

function checkDummy(config: Json): Problem | undefined {
  if (!isJsonObject(config)) return create(`invalid dummy credential manager config: ${goType(config)}`);
  const vars = config['vars'] ?? null;
  return isJsonObject(vars) ? undefined : create(`invalid vars config: ${goType(vars)}`);
}

function checkIdToken(config: Json): Problem | undefined {
  const invalid = 'invalid idtoken provider config: ';
  if (!isJsonObject(config)) return create(`${invalid}${goType(config)}`);
  for (const [key, value] of Object.entries(config)) {
    if (key === 'audience') {
      if (!Array.isArray(value)) return create(`${invalid}audience must be a list of strings`);
      if (value.some((one) => typeof one !== 'string')) return create(`${invalid}invalid audience value`);
    } else if (!['subject_scope', 'expires_in', 'algorithm'].includes(key)) {
      return create(`${invalid}unknown setting: ${key}`);
    } else if (typeof value !== 'string') return create(`${invalid}${key} must be a string`);
  }
  const { subject_scope: scope = 'pipeline', expires_in: expiry = '1h', algorithm = 'RS256' } = config;
  if (!isDuration(expiry as string)) {
    return create(`${invalid}invalid expires_in value: time: invalid duration ${JSON.stringify(expiry)}`);
  }
  if (!['', 'team', 'pipeline', 'instance', 'job'].includes(scope as string)) {
    return use(`invalid subject_scope value: ${scope}`);
  }
  if (parseDuration(expiry as string) > parseDuration('24h')) return use('expires_in must be <= 24h0m0s');
  if (algorithm === 'RS256' || algorithm === 'ES256') return undefined;
  return use(`invalid algorithm value: ${algorithm}. Only RS256 and ES256 are supported`);
}

function checkVault(config: JsonObject): Problem | undefined {
  const problem = checkFields(config, VAULT_FIELDS);
  if (problem !== undefined) return problem;
  if (config['path_prefix'] === '') return use('path prefix must be a non-empty string');
  for (const [index, template] of ((config['lookup_templates'] ?? []) as string[]).entries()) {
    const wrong = checkTemplate(`lookup-template-${index}`, template);
    if (wrong !== undefined) return wrong;
  }
  const logins = ['client_token', 'client_token_path', 'auth_backend'];
  return logins.some((key) => config[key]) ? undefined : use('must configure client token or auth backend');
}

function checkAws(config: Json, fields: Readonly<Record<string, Kind>>): Problem | undefined {
  if (config === null) return undefined;
  if (!isJsonObject(config)) return create(`'' expected a map or struct, got ${JSON.stringify(goType(config))}`);
  const problem = checkFields(config, fields);
  if (problem !== undefined) return problem;
  for (const key of Object.keys(fields).filter((field) => field.endsWith('_template'))) {
    const template = config[key];
    const wrong = typeof template === 'string' ? checkTemplate(key.replaceAll('_', '-'), template) : undefined;
    if (wrong !== undefined) return wrong;
  }
  if (!['access_key', 'secret_key', 'session_token'].some((key) => config[key])) return undefined;
  if (!config['access_key']) return use('must provide aws access key id');
  return config['secret_key'] ? undefined : use('must provide aws secret access key');
}

function checkFields(config: JsonObject, fields: Readonly<Record<string, Kind>>): Problem | undefined {
  const problems: string[] = [];
  for (const [field, kind] of Object.entries(fields)) {
    const value = config[field];
    if (value === undefined || value === null) continue;
    if (kind === 'duration' && typeof value === 'string') {
      if (!isDuration(value)) problems.push(`'${field}' time: invalid duration`);
    } else if (!hasKind(value, kind)) {
      problems.push(`'${field}' expected type '${GO_TYPES[kind]}', got unconvertible type '${goType(value)}'`);
    }
  }
  const unknown = Object.keys(config).filter((key) => !Object.hasOwn(fields, key));
  if (unknown.length > 0) problems.push(`'' has invalid keys: ${unknown.sort().join(', ')}`);
  if (problems.length === 0) return undefined;
  return create(`decoding failed due to the following error(s):\n\n${problems.join('\n')}`);
}

const GO_TYPES: Readonly<Record<Kind, string>> = {
  string: 'string',
  bool: 'bool',
  duration: 'time.Duration',
  strings: '[]string',
  map: 'map[string]string',
};

function hasKind(value: Json, kind: Kind): boolean {
  if (kind === 'string') return typeof value === 'string';
  if (kind === 'bool') return typeof value === 'boolean';
  if (kind === 'duration') return typeof value === 'number';
  if (kind === 'strings') return Array.isArray(value) && value.every((item) => typeof item === 'string');
  return isJsonObject(value);
}

/** A path with `{{.Team}}`, `{{.Pipeline}}` and `{{.Secret}}` in it. */
function checkTemplate(name: string, template: string): Problem | undefined {
  if (template.trim() === '') return use('secret template should not be empty');
  const rest = template.replace(/\{\{-?\s*\.(Team|Pipeline|Secret)\s*-?\}\}/g, '');
  if (!rest.includes('{{')) return undefined;
  if (!/\{\{[\s\S]*\}\}/.test(rest)) return use(`template: ${name}:1: unclosed action`);
  return use(`template: ${name}:1: only {{.Team}}, {{.Pipeline}} and {{.Secret}} may be used in ${template}`);
}

function create(text: string): Problem {
  return { kind: 'create', text };
}

function use(text: string): Problem {
  return { kind: 'use', text };
}
