import type { Progress } from '@seaplane/dev-toolchain/progress.ts';
import type { ContainerConfig } from '@seaplane/oci';

/** How one image is made. Finding its inputs is cheap and done every time; it is filled only when they have changed. */
export interface Recipe {
  /** What the image is for, in one line. */
  readonly summary: string;
  prepare(progress: Progress): Promise<Prepared>;
}

export interface Prepared {
  readonly config: ContainerConfig;
  /** All that the file system depends on, besides the code of this folder and of packages/oci. */
  readonly inputs: readonly (string | Uint8Array)[];
  /** Fills the empty directory `rootfs`. `scratch` is a directory for anything else, thrown away afterwards. */
  fill(rootfs: string, scratch: string): Promise<void>;
}

export const DEFAULT_PATH = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
