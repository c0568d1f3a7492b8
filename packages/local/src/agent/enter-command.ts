import { BUILD_DIRECTORY, CONTROL_DIRECTORY, RECORDS_DIRECTORY, type SandboxDirectories } from '@seaplane/baggageclaim';
import type { SandboxSpec } from '@seaplane/orchestrator';
import type { ImageTree } from './images.ts';
import type { SandboxPlaces } from './sandbox-directory.ts';

/** How sandboxes are made on this machine. */
export interface Mode {
  /**
   * The agent is root: each sandbox has a user namespace with these ids, and files keep the ids that the sandbox sees. Absent:
   * the agent is an ordinary user, whose sandboxes share its own user namespace.
   */
  readonly ids?: { readonly base: number; readonly count: number };
  /** The overlay keeps its notes in attributes that an ordinary user may set. */
  readonly userxattr: boolean;
  /** There is no other user than root. */
  readonly oneId: boolean;
}

/** The arguments that make `supervisor` run plain processes, without a sandbox around them. */
export function plainArguments(
  places: SandboxPlaces,
  { build, socket, records, output }: Pick<SandboxDirectories, 'build' | 'socket' | 'records' | 'output'>,
): string[] {
  return [
    ...['--plain', '--build', build, '--lock', places.lock, '--pid', places.pid, '--over', places.over, '--'],
    ...['--socket', socket, '--records', records, '--output', output],
  ];
}

export interface EnterParts {
  readonly mode: Mode;
  readonly places: SandboxPlaces;
  readonly directories: SandboxDirectories;
  readonly spec: SandboxSpec;
  readonly image: ImageTree;
  /** The `cgroup.procs` files of the sandbox's cgroups. */
  readonly cgroups: readonly string[];
}

/** Host names have at most 64 characters. */
const LONGEST_NAME = 63;

/** The arguments that make `supervisor` the first process of the sandbox. */
export function enterArguments({ mode, places, directories, spec, image, cgroups }: EnterParts): string[] {
  const volumes = directories.volumes.filter(({ path }) => path !== BUILD_DIRECTORY);
  // A volume may lie in another one, so shorter paths are mounted first.
  const mounted = volumes.toSorted((a, b) => a.path.length - b.path.length);
  return [
    '--enter',
    ...['--lock', places.lock, '--pid', places.pid, '--over', places.over],
    ...image.lowers.flatMap((lower) => ['--lower', lower]),
    ...['--scratch', places.dir],
    ...image.binds.flatMap(({ from, to }) => ['--robind', from, to]),
    // Only the sidecar may change what is in the control directory. Else the step could put its own socket there.
    ...['--robind', places.control, CONTROL_DIRECTORY],
    ...['--bind', places.records, RECORDS_DIRECTORY],
    ...['--bind', directories.build, BUILD_DIRECTORY],
    ...mounted.flatMap(({ path, at }) => ['--bind', at, path]),
    ...(spec.privileged ? ['--privileged'] : []),
    ...ownerArguments(mode, spec),
    ...(mode.oneId ? ['--one-id'] : []),
    ...(spec.hermetic ? ['--hermetic'] : []),
    ...cgroups.flatMap((file) => ['--cgroup', file]),
    ...['--hostname', spec.handle.slice(0, LONGEST_NAME)],
    '--',
  ];
}

export interface InputParts extends Pick<EnterParts, 'mode' | 'places' | 'spec'> {
  /** The directory that is shown. */
  readonly lower: string;
  /** Has `upper` and `work`. */
  readonly scratch: string;
  /** The path in the sandbox. */
  readonly at: string;
}

/** The arguments that make `supervisor` show a directory in a sandbox that lives. */
export function inputArguments({ mode, places, spec, lower, scratch, at }: InputParts): string[] {
  const paths = ['--pid', places.pid, '--lower', lower, '--scratch', scratch, '--at', at];
  return ['--input', ...paths, ...ownerArguments(mode, spec)];
}

function ownerArguments(mode: Mode, { privileged }: SandboxSpec): string[] {
  return [
    ...(mode.ids && !privileged ? ['--ids', String(mode.ids.base), String(mode.ids.count)] : []),
    ...(mode.userxattr ? ['--userxattr'] : []),
  ];
}
