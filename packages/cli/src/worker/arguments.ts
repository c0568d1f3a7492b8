import { join, resolve } from 'node:path';
import { type Machine, parseFlags, requireHome } from '../command-line.ts';
import { Mistake } from '../mistake.ts';

export interface WorkerArguments {
  readonly web: URL;
  readonly key: string;
  readonly name: string;
  readonly dataDir: string;
  /** Steps are plain processes of this user, without isolation. */
  readonly plainProcesses: boolean;
}

export type WorkerCommand =
  | { readonly kind: 'help' }
  | { readonly kind: 'reset'; readonly dataDir: string }
  | { readonly kind: 'work'; readonly work: WorkerArguments };

export const WORKER_HELP = `usage: seaplane worker --web URL --key FILE [flags]

Makes this machine a worker of a Seaplane server. The machine dials the server; it needs no address of its own.
The server lists the worker in its targets file, with its name, tags and team:

  - kind: remote
    name: NAME
    key: /etc/seaplane/NAME.key      the same file as here; openssl rand -hex 32 makes one

  --web URL        the server, as browsers reach it: https://ci.example.com
  --key FILE       the secret that this machine and the server share
  --name NAME      the worker's name in the server's file; default the name of this machine
  --plain-processes
                   runs steps as plain processes of this user, without any isolation and without images. A Mac has no
                   other way (built and unit-tested, not yet tried on a real Mac). The server's entry then needs
                   "platform: darwin", or on Linux "plainProcesses: true"
  --data-dir DIR   everything of the worker is there; default /var/lib/seaplane/worker for root,
                   else ~/.local/share/seaplane/worker
  --reset          ends all steps in DIR, deletes DIR, and exits
  --help           this text

Ctrl-C ends the connection. Steps that run go on, and the next start takes them up.
`;

const OPTIONS = {
  web: { type: 'string' },
  key: { type: 'string' },
  name: { type: 'string' },
  'data-dir': { type: 'string' },
  'plain-processes': { type: 'boolean' },
  reset: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** Reads the command line. Throws a {@link Mistake}. Pure. */
export function parseWorkerArguments(args: readonly string[], env: NodeJS.ProcessEnv, machine: Machine): WorkerCommand {
  const values = parseFlags(args, OPTIONS);
  if (values.help) return { kind: 'help' };
  const dataDir = resolve(values['data-dir'] || defaultDataDir(env, machine));
  if (values.reset) return { kind: 'reset', dataDir };
  if (!values.web) throw new Mistake('name the server with --web URL');
  if (!values.key) throw new Mistake('name the file with the key with --key FILE');
  const name = values.name || machine.hostname;
  const plainProcesses = values['plain-processes'] === true;
  const work = { web: parseUrl(values.web), key: resolve(values.key), name, dataDir, plainProcesses };
  return { kind: 'work', work };
}

function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new Mistake(`--web takes a URL such as https://ci.example.com, not "${text}"`);
}

function defaultDataDir(env: NodeJS.ProcessEnv, { isRoot, home }: Machine): string {
  if (isRoot) return '/var/lib/seaplane/worker';
  return join(requireHome(env['XDG_DATA_HOME'] || (home && join(home, '.local/share'))), 'seaplane/worker');
}
