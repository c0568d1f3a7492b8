import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { observeBuilds } from './observe-builds.ts';
import type { PipelineFile } from './read-file.ts';
import { inSameForm, sameText } from './same-form.ts';
import type { Side } from './side.ts';

/** Everything that a server says and does about one file, in a form that can be compared. */
export type Observation = Readonly<Record<string, unknown>>;

export interface Observing {
  readonly side: Side;
  /** Where the file is put for fly. */
  readonly directory: string;
  /** How long one build may take. */
  readonly buildTimeoutMs: number;
  readonly signal: AbortSignal;
}

/** The base type that both servers have. */
const BASE_TYPES = ['mock'];

/** Sets a pipeline on a server, reads it back, and runs its jobs if both servers have the types that it uses. */
export async function observe(observing: Observing, file: PipelineFile): Promise<Observation> {
  const { side, directory } = observing;
  const path = join(directory, `${file.name}.yml`);
  await writeFile(path, file.text);
  const set = await side.fly('set-pipeline', '--non-interactive', '-p', file.name, '-c', path);
  const said = { accepted: set.code === 0, stdout: sameText(set.stdout), stderr: sameText(set.stderr) };
  if (set.code !== 0) return { set: said };
  const config = JSON.parse((await side.fly('get-pipeline', '-p', file.name, '--json')).stdout) as Config;
  // A second set that changes nothing shows whether fly can compare the server's answer with the file.
  const again = await side.fly('set-pipeline', '--non-interactive', '-p', file.name, '-c', path);
  const setAgain = { exit: again.code, stdout: sameText(again.stdout) };
  const read = { set: said, setAgain, config: ordered(config) };
  const missing = missingTypes(config);
  if (missing.length > 0) return { ...read, builds: `not run: no worker has the type ${missing.join(', ')}` };
  const builds = await observeBuilds(observing, file.name, config.jobs ?? []);
  return { ...read, builds, ...(await observeLists(side, file.name, config)) };
}

interface Config {
  readonly jobs?: readonly { readonly name: string }[];
  readonly resources?: readonly Typed[];
  readonly resource_types?: readonly Typed[];
  readonly [field: string]: unknown;
}

interface Typed {
  readonly name: string;
  readonly type: string;
}

interface ListedResource extends Typed {
  readonly build?: unknown;
  readonly last_checked?: unknown;
}

/** Concourse lists resources and types by name, we as they are written: docs/users/differences.md. */
function ordered(config: Config): unknown {
  const byName = (list: readonly Typed[] | undefined) =>
    list && { ...(list.length > 0 && Object.fromEntries(list.map((item) => [item.name, item]))) };
  return inSameForm({
    ...config,
    resources: byName(config.resources),
    resource_types: byName(config.resource_types),
  });
}

function missingTypes(config: Config): string[] {
  const types = new Set<string>();
  JSON.stringify([config.resources, config.resource_types, config.jobs], (key, value: unknown) => {
    if (key === 'type' && typeof value === 'string') types.add(value);
    return key === 'source' || key === 'params' || key === 'vars' ? undefined : value;
  });
  const own = config.resource_types?.map(({ name }) => name) ?? [];
  return [...types].filter((type) => !BASE_TYPES.includes(type) && !own.includes(type)).sort();
}

/** What fly's lists say about the pipeline afterwards. */
async function observeLists(side: Side, pipeline: string, config: Config): Promise<Record<string, unknown>> {
  const list = async (...args: string[]): Promise<unknown> => {
    const { code, stdout, stderr } = await side.fly(...args, '--json');
    return code === 0 ? inSameForm(JSON.parse(stdout)) : sameText(stderr);
  };
  const versions: Record<string, unknown> = {};
  for (const { name } of config.resources ?? []) {
    versions[name] = await list('resource-versions', '-r', `${pipeline}/${name}`);
  }
  const resources = (await list('resources', '-p', pipeline)) as readonly ListedResource[];
  // The last check may just have begun on one side.
  const settled = resources.map(({ build: _build, last_checked: _time, ...rest }) => [rest.name, rest]);
  return { versions, resources: Object.fromEntries(settled) };
}
