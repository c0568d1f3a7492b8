import { run } from './run.ts';

const MIN_GO_MINOR = 26;

export interface GoModule {
  readonly path: string;
  readonly version: string;
  /** The module's `h1:` hash, for one the public checksum database does not know; it is then checked here instead. */
  readonly sum?: string;
}

export interface GoBuild {
  /** Directory of the module that is built: its own go.mod and go.sum pin everything below it. */
  readonly dir: string;
  readonly packages: readonly string[];
  /** Build the package's tests into a program instead (`go test -c`). */
  readonly tests?: boolean;
  /** A directory (one binary a package) or, for one package, a file. */
  readonly output: string;
  readonly tags?: readonly string[];
  readonly cgo?: boolean;
  readonly linkerFlags?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** Throws, saying what to install, where there is no Go that can build our pins. */
export async function requireGo(): Promise<void> {
  const found = await run('go', ['env', 'GOVERSION'], { cwd: '/' }).catch(() => undefined);
  const why = judgeGoVersion(found?.stdout);
  if (why) throw new Error(why);
}

/** Why this version, as `go env GOVERSION` prints it, is not good enough; undefined when it is. */
export function judgeGoVersion(version: string | undefined): string | undefined {
  const needed = `Go 1.${MIN_GO_MINOR} or newer is needed to build the development tools`;
  if (version === undefined) return `${needed}, and there is no \`go\` on the PATH`;
  const minor = /^go1\.(\d+)/.exec(version)?.[1];
  return Number(minor) >= MIN_GO_MINOR ? undefined : `${needed}; this is ${version.trim()}`;
}

/** Downloads a module at an exact version and returns its (read-only) directory in Go's module cache. */
export async function downloadGoModule({ path, version, sum }: GoModule): Promise<string> {
  const env = sum ? { ...process.env, GONOSUMDB: path } : process.env;
  const { stdout } = await run('go', ['mod', 'download', '-json', `${path}@${version}`], { cwd: '/', env });
  const { Dir: dir, Sum: actual } = JSON.parse(stdout) as { Dir: string; Sum: string };
  if (sum && sum !== actual) throw new Error(`${path}@${version} has the hash ${actual}, expected ${sum}`);
  return dir;
}

export async function goBuild({
  dir,
  packages,
  tests = false,
  output,
  tags,
  cgo = false,
  linkerFlags = '',
  env = {},
}: GoBuild): Promise<void> {
  const args = tests ? ['test', '-C', dir, '-c'] : ['build', '-C', dir];
  args.push('-trimpath', '-buildvcs=false', '-ldflags', `-s -w ${linkerFlags}`.trim());
  if (tags) args.push('-tags', tags.join(' '));
  await run('go', [...args, '-o', output, ...packages], {
    cwd: '/',
    env: { ...process.env, CGO_ENABLED: cgo ? '1' : '0', GOFLAGS: '-mod=readonly', ...env },
  });
}
