import { existsSync } from 'node:fs';
import { appendFile, chown, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '@seaplane/dev-toolchain/run.ts';
import { LAYOUT } from './layout.ts';
import type { Namespaces } from './namespaces.ts';

const VERSIONS = '/usr/lib/postgresql';
/** PostgreSQL refuses to run as root. */
const AS_POSTGRES = ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups', '--'];

/** Starts a PostgreSQL of Debian's inside the namespaces, with one empty database `concourse` of the user `concourse`. */
export async function startPostgres(namespaces: Namespaces): Promise<void> {
  const programs = await programsDirectory();
  const data = join(LAYOUT.state, 'postgres');
  const owner = await idsOf('postgres');
  await mkdir(data, { mode: 0o700 });
  await chown(data, owner.uid, owner.gid);
  const as = (name: string, ...args: string[]) =>
    namespaces.run([...AS_POSTGRES, 'env', `HOME=${data}`, join(programs, name), ...args]);
  await as('initdb', '-D', data, '-U', 'concourse', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8');
  await appendFile(
    join(data, 'postgresql.conf'),
    [
      `port = ${LAYOUT.postgresPort}`,
      "listen_addresses = '127.0.0.1'",
      `unix_socket_directories = '${data}'`,
      'max_connections = 200',
      '',
    ].join('\n'),
  );
  await as('pg_ctl', '-D', data, '-l', join(data, 'log'), '-w', 'start');
  await query(namespaces, 'create database concourse', 'postgres');
}

/** Runs one statement and returns the values it printed, one row a line. */
export async function query(namespaces: Namespaces, statement: string, database = 'concourse'): Promise<string> {
  const connection = ['-h', '127.0.0.1', '-p', String(LAYOUT.postgresPort), '-U', 'concourse', '-d', database];
  const psql = join(await programsDirectory(), 'psql');
  return namespaces.run([psql, '-X', '-At', '-v', 'ON_ERROR_STOP=1', ...connection, '-c', statement]);
}

/** The newest version that is installed. */
async function programsDirectory(): Promise<string> {
  const versions = existsSync(VERSIONS) ? await readdir(VERSIONS) : [];
  const newest = versions.map(Number).sort((a, b) => b - a)[0];
  if (!newest) throw new Error(`no PostgreSQL in ${VERSIONS}`);
  return join(VERSIONS, String(newest), 'bin');
}

async function idsOf(user: string): Promise<{ uid: number; gid: number }> {
  const [uid, gid] = await Promise.all(
    ['-u', '-g'].map(async (flag) => Number((await run('id', [flag, user])).stdout)),
  );
  return { uid: uid as number, gid: gid as number };
}
