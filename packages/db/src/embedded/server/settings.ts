import { SOCKET_PORT } from '../directory/socket-directory.ts';

/** A setting that PostgreSQL does not know and keeps: it marks a server as started by us. See leftover-server.ts. */
const MARK = 'seaplane.embedded';

/**
 * Settings of the embedded server, given on its command line so that a new version of Seaplane changes them for
 * existing data too. Durable as PostgreSQL is by default; modest in memory (about 20 MB idle), because it shares the
 * machine.
 */
const DEFAULTS: Readonly<Record<string, string>> = {
  shared_buffers: '32MB',
  max_connections: '100',
  max_wal_size: '256MB',
  jit: 'off', // short queries: compiling them costs more than it saves
  io_method: 'sync', // no worker processes for reads that the page cache answers
  max_logical_replication_workers: '0',
  log_line_prefix: '',
  log_checkpoints: 'off',
  lc_messages: 'C', // we read some of the messages
  logging_collector: 'off',
  timezone: 'UTC',
};

export type Settings = Readonly<Record<string, string>>;

/** The command line that serves `data` on a socket in `socketDirectory` and nowhere else. */
export function serverArguments(data: string, socketDirectory: string, settings: Settings = {}): string[] {
  const fixed = {
    listen_addresses: '',
    port: String(SOCKET_PORT),
    unix_socket_directories: `"${socketDirectory.replaceAll('"', '""')}"`, // a list; quoted, a name may have commas
    unix_socket_permissions: '0700',
    [MARK]: 'yes',
  };
  const all = Object.entries({ ...DEFAULTS, ...settings, ...fixed });
  return ['-D', data, ...all.flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

/** Whether the command line that a server left in `postmaster.opts` is one of ours. */
export function isOurCommandLine(text: string): boolean {
  return text.includes(`"${MARK}=yes"`);
}
