import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Fields } from '../fields.ts';
import type { ActionContext } from '../request.ts';
import { type Git, git, gitIn, runProgram } from './git.ts';
import type { GitSource } from './git-source.ts';

/**
 * Calls `use` with the environment that git needs: a home of its own, with the source's credentials and settings. The home
 * is removed afterwards, so nothing secret stays in a sandbox.
 */
export async function withGit<T>(
  context: ActionContext,
  { fields }: GitSource,
  use: (env: NodeJS.ProcessEnv, home: string) => Promise<T>,
): Promise<T> {
  const home = await mkdtemp(join(context.env['TMPDIR'] ?? tmpdir(), 'git-home-'));
  try {
    const env: NodeJS.ProcessEnv = {
      ...context.env,
      HOME: home,
      GNUPGHOME: home,
      GIT_CONFIG_GLOBAL: join(home, 'gitconfig'),
      GIT_TERMINAL_PROMPT: '0',
      LC_ALL: 'C.UTF-8',
    };
    if (fields.flag('skip_ssl_verification')) env['GIT_SSL_NO_VERIFY'] = 'true';
    const within = gitIn(context, home, env);
    // The user of a sandbox may differ from the owner of its directories, which is not an attack here.
    await git(within, ['config', '--global', 'safe.directory', '*']);
    await setKey(within, fields, env);
    await setPasswords(within, fields);
    for (const setting of fields.records('git_config')) {
      await git(within, ['config', '--global', setting.need('name'), setting.text('value') ?? '']);
    }
    return await use(env, home);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

async function setKey(within: Git, fields: Fields, env: NodeJS.ProcessEnv): Promise<void> {
  const key = fields.text('private_key');
  if (key === undefined) return;
  const file = join(within.cwd, 'private-key');
  await writeFile(file, key.endsWith('\n') ? key : `${key}\n`, { mode: 0o600 });
  const passphrase = fields.text('private_key_passphrase');
  if (passphrase !== undefined) {
    await runProgram(within, 'ssh-keygen', ['-q', '-p', '-P', passphrase, '-N', '', '-f', file]);
  }
  const user = fields.text('private_key_user');
  const options = ['StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null', 'LogLevel=quiet', 'IdentitiesOnly=yes'];
  if (user !== undefined) options.push(`User=${user}`);
  env['GIT_SSH_COMMAND'] = ['ssh', '-i', file, ...options.flatMap((option) => ['-o', option])].map(quote).join(' ');
}

/** By credential helpers that print a file: git asks them when a server wants a password. */
async function setPasswords(within: Git, fields: Fields): Promise<void> {
  const [username, password] = [fields.text('username'), fields.text('password')];
  const hosts = fields.texts('credential_hosts');
  let count = 0;
  const add = async (scope: string, user: string, secret: string) => {
    const file = join(within.cwd, `credential-${count++}`);
    await writeFile(file, `username=${user}\npassword=${secret}\n`, { mode: 0o600 });
    await git(within, ['config', '--global', '--add', `credential.${scope}helper`, `!f() { cat ${quote(file)}; }; f`]);
  };
  for (const other of fields.records('submodule_credentials')) {
    const [host, user, secret] = [other.text('host'), other.text('username'), other.text('password')];
    if (host && user && secret) for (const at of urlsOf(host)) await add(at, user, secret);
  }
  if (username === undefined || password === undefined) return;
  if (hosts.length === 0) await add('', username, password);
  else for (const host of hosts) for (const at of urlsOf(host)) await add(at, username, password);
}

function urlsOf(host: string): string[] {
  return [`https://${host}.`, `http://${host}.`];
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
