import { join, resolve } from 'node:path';
import { type Machine, parseFlags, requireHome } from '../command-line.ts';
import { Mistake } from '../mistake.ts';

/** `NAME=VALUE` of a flag, in the order given. */
export interface Named {
  readonly name: string;
  readonly value: string;
}

export interface RunArguments {
  readonly config: string;
  readonly job: string;
  /** Directories to take inputs from. */
  readonly inputs: readonly Named[];
  /** Directories to copy artifacts into. */
  readonly outputs: readonly Named[];
  readonly vars: readonly Named[];
  readonly yamlVars: readonly Named[];
  readonly varFiles: readonly string[];
  readonly put: boolean;
  readonly dataDir: string;
  readonly verbose: boolean;
}

export type RunCommand =
  | { readonly kind: 'help' }
  | { readonly kind: 'reset'; readonly dataDir: string }
  | { readonly kind: 'run'; readonly run: RunArguments };

const text = { type: 'string' } as const;
const texts = { type: 'string', multiple: true } as const;
const flag = { type: 'boolean' } as const;
const OPTIONS = {
  config: { ...text, short: 'c' },
  job: { ...text, short: 'j' },
  input: { ...texts, short: 'i' },
  output: { ...texts, short: 'o' },
  var: { ...texts, short: 'v' },
  'yaml-var': { ...texts, short: 'y' },
  'load-vars-from': { ...texts, short: 'l' },
  put: flag,
  'data-dir': text,
  reset: flag,
  verbose: flag,
  help: { ...flag, short: 'h' },
} as const;

/** Reads the command line. Throws a {@link Mistake}. Pure. */
export function parseRunArguments(args: readonly string[], env: NodeJS.ProcessEnv, machine: Machine): RunCommand {
  const values = parseFlags(args, OPTIONS);
  if (values.help) return { kind: 'help' };
  const dataDir = resolve(values['data-dir'] || defaultDataDir(env, machine));
  if (values.reset) return { kind: 'reset', dataDir };
  const { config, job } = values;
  if (!config) throw new Mistake('name the pipeline with -c FILE');
  const outputs = named('--output', values.output);
  const twice = outputs.find(({ name }, index) => outputs.findIndex((other) => other.name === name) < index);
  if (twice) throw new Mistake(`--output names ${twice.name} twice`);
  return {
    kind: 'run',
    run: {
      config,
      job: job ?? '',
      inputs: named('--input', values.input),
      outputs,
      vars: named('--var', values.var),
      yamlVars: named('--yaml-var', values['yaml-var']),
      varFiles: values['load-vars-from'] ?? [],
      put: values.put ?? false,
      dataDir,
      verbose: values.verbose ?? false,
    },
  };
}

function named(option: string, given: readonly string[] = []): Named[] {
  return given.map((one) => {
    const at = one.indexOf('=');
    if (at > 0) return { name: one.slice(0, at), value: one.slice(at + 1) };
    throw new Mistake(`${option} takes NAME=VALUE, not "${one}"`);
  });
}

/** Everything there can be made again, so it is a cache. Root's is not in /root: PostgreSQL's user could not enter it. */
function defaultDataDir(env: NodeJS.ProcessEnv, { isRoot, home }: Machine): string {
  if (isRoot) return '/var/cache/seaplane/run';
  return join(requireHome(env['XDG_CACHE_HOME'] || (home && join(home, '.cache'))), 'seaplane/run');
}
