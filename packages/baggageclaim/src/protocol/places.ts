import { join } from 'node:path';

/** Holds the supervisor, its socket and the exit records, in both containers of a pod: a small volume in memory. */
export const CONTROL_DIRECTORY = '/tmp/seaplane';
export const SUPERVISOR_PATH = `${CONTROL_DIRECTORY}/supervisor`;
/** A command of the sidecar's image that installs the supervisor. The step's container must not start before it ends. */
export const INSTALL_SUPERVISOR = ['/supervisor', '--install', SUPERVISOR_PATH] as const;
/** Holds the step's files: the same path in both containers, a volume on disk. */
export const BUILD_DIRECTORY = '/tmp/build';

export const SIDECAR_PORT = 7788;
/** The store's second port: it serves images to the kubelet and nothing else. */
export const IMAGE_PORT = 7789;

/** The directories that a sandbox's sidecar and its supervisor share. */
export interface SandboxDirectories {
  /** baggageclaim listens here, since it starts first; the supervisor connects, and reconnects when it must. */
  readonly socket: string;
  /** `ID.exit`: an `ExitRecord` as JSON. The file appears when it is complete. */
  readonly records: string;
  readonly build: string;
  /** `ID.stdout` and `ID.stderr`. It lies beside the step's directories, so it is part of no artifact. */
  readonly output: string;
}

/** The directories of a sandbox that is a pod. */
export const POD_DIRECTORIES: SandboxDirectories = directoriesOf(CONTROL_DIRECTORY, BUILD_DIRECTORY);

/** The directories of a sandbox that lies below one directory of a machine, as a local host and tests have it. */
export function directoriesBelow(dir: string): SandboxDirectories {
  return directoriesOf(join(dir, 'control'), join(dir, 'build'));
}

function directoriesOf(control: string, build: string): SandboxDirectories {
  return {
    socket: join(control, 'supervisor.sock'),
    records: join(control, 'records'),
    build,
    output: join(build, '.seaplane'),
  };
}
