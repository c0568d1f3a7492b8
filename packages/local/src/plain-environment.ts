/** Where programs, files and texts of this user are. Everything else of the worker's environment may be a secret of its owner. */
const NAMES = ['PATH', 'HOME', 'SHELL', 'TMPDIR', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'DEVELOPER_DIR'];

/** The variables that plain processes get from the user that they run as. */
export function ownEnvironment(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(NAMES.flatMap((name) => (env[name] ? [[name, env[name]]] : [])));
}
