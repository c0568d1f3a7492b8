import { join } from 'node:path';

/**
 * Holds the supervisor and its socket, in both containers of a pod: a small volume in memory. Only the sidecar can write to
 * it. A root process of the step could otherwise put a socket of its own in the place of the sidecar's.
 */
export const CONTROL_DIRECTORY = '/tmp/seaplane';
/** Holds the exit records, in the same volume. Both containers can write to it. */
export const RECORDS_DIRECTORY = `${CONTROL_DIRECTORY}/records`;
/** Holds the sidecar's own files, in the same volume. The step's container does not have it. */
export const SIDECAR_DIRECTORY = '/seaplane-sidecar';
export const SUPERVISOR_PATH = `${CONTROL_DIRECTORY}/supervisor`;
/** A command of the sidecar's image that installs the supervisor. The step's container must not start before it ends. */
export const INSTALL_SUPERVISOR = ['/supervisor', '--install', SUPERVISOR_PATH] as const;
/** Holds the step's files: the same path in both containers, a volume on disk. */
export const BUILD_DIRECTORY = '/tmp/build';

/**
 * The sidecar has the step's volumes that lie outside of the build directory below this one. At their own paths they would
 * hide files of the sidecar: a task may have an output at `/usr/bin`.
 */
const MOUNTS_DIRECTORY = '/seaplane-mounts';

/** Where the sidecar of a pod has a volume that lies outside of the build directory. */
export function sidecarPathOf(mount: string): string {
  return join(MOUNTS_DIRECTORY, mount);
}

/** Tells the sidecar which paths outside of the build directory are volumes of its step: a JSON list. */
export const MOUNTS_VARIABLE = 'SEAPLANE_MOUNTS';

/** Tells the scripts at /opt/resource of baggageclaim's own image which resource type they are. */
export const RESOURCE_TYPE_VARIABLE = 'SEAPLANE_RESOURCE_TYPE';

/** Tells the sidecar of a hermetic step how to find out that its network is closed: a {@link Witness} as JSON. */
export const WITNESS_VARIABLE = 'SEAPLANE_WITNESS';

/** The store of a hermetic step's worker. */
export interface Witness {
  /** Of the store's certificate. */
  readonly name: string;
  /** An address that outlives the store's pod. */
  readonly url: string;
}

/** Tells a store the address of its pod. */
export const ADDRESS_VARIABLE = 'SEAPLANE_ADDRESS';

/** Holds the key of the worker's authority: the server makes its certificate with it. */
export const AUTHORITY_VARIABLE = 'SEAPLANE_AUTHORITY_KEY';

export const SIDECAR_PORT = 7788;
/** The store's second port: it serves images to the kubelet and nothing else. */
export const IMAGE_PORT = 7789;
/** The store's third port, on its loopback device: only a port-forward gets there. It connects web with the worker's pods. */
export const RELAY_PORT = 7787;

/** The directories of a sandbox. Its sidecar and its supervisor share them, but for `own`. */
export interface SandboxDirectories {
  /** baggageclaim listens here, since it starts first; the supervisor connects, and reconnects when it must. */
  readonly socket: string;
  /** `ID.exit`: an `ExitRecord` as JSON and, in the second line, its seal. The file appears when it is complete. */
  readonly records: string;
  /** The sidecar's alone, and there after its restart: `ID.run`, its own `ID.exit`, and the supervisor's `secret`. */
  readonly own: string;
  readonly build: string;
  /** `ID.stdout` and `ID.stderr`. It lies beside the step's directories, so it is part of no artifact. */
  readonly output: string;
  /** Everything that holds the step's files: the build directory, and the directories outside of it that it asked for. */
  readonly volumes: readonly Volume[];
  /** Other mount points of the sandbox, at their paths there. They stay when a volume that they lie in is emptied. */
  readonly mountPoints: readonly string[];
}

/** A volume of a step: its path in the sandbox, and where the sidecar has the same directory. */
export interface Volume {
  readonly path: string;
  readonly at: string;
}

/** The directories of a sandbox that is a pod. `mounts` are the volumes outside of the build directory. */
export function podDirectories(mounts: readonly string[]): SandboxDirectories {
  const directories = directoriesOf(CONTROL_DIRECTORY, BUILD_DIRECTORY, SIDECAR_DIRECTORY);
  const volumes = mounts.map((path) => ({ path, at: sidecarPathOf(path) }));
  return { ...directories, volumes: [...directories.volumes, ...volumes], mountPoints: [CONTROL_DIRECTORY] };
}

/** The directories of a sandbox that lies below one directory of a machine, as a local host and tests have it. */
export function directoriesBelow(dir: string): SandboxDirectories {
  return directoriesOf(join(dir, 'control'), join(dir, 'build'), join(dir, 'sidecar'));
}

function directoriesOf(control: string, build: string, own: string): SandboxDirectories {
  return {
    socket: join(control, 'supervisor.sock'),
    records: join(control, 'records'),
    own,
    build,
    output: join(build, '.seaplane'),
    volumes: [{ path: build, at: build }],
    mountPoints: [],
  };
}
