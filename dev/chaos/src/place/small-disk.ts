import { join } from 'node:path';
import { layoutOf, requireInit, runInside } from '@seaplane/dev-cluster';
import { type Kubectl, kubectl } from './pods.ts';

const SIZE = '400Mi';
const MEGABYTES = 400;
const NAME = 'chaos-store';

/** The fields of a target's store that lives on the small disk. */
export const SMALL_STORE = { size: SIZE, storageClass: NAME };

/** A file system of its own for the store, inside the cluster, that a fault can fill without filling the machine. */
export class SmallDisk implements AsyncDisposable {
  readonly #index: number;
  readonly #admin: Kubectl;
  readonly #directory: string;

  private constructor(index: number, admin: Kubectl) {
    this.#index = index;
    this.#admin = admin;
    this.#directory = join(layoutOf(index).state, NAME);
  }

  static async make(index: number, admin: Kubectl): Promise<SmallDisk> {
    const disk = new SmallDisk(index, admin);
    await disk[Symbol.asyncDispose](); // an earlier run was killed
    const store = join(disk.#directory, 'store');
    await disk.#inside(['mkdir', '-p', disk.#directory]);
    await disk.#inside(['mount', '-t', 'tmpfs', '-o', `size=${MEGABYTES}m,mode=755`, NAME, disk.#directory]);
    await disk.#inside(['mkdir', store]);
    const volume = {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: NAME },
      spec: {
        capacity: { storage: SIZE },
        accessModes: ['ReadWriteOnce'],
        persistentVolumeReclaimPolicy: 'Retain',
        storageClassName: NAME,
        hostPath: { path: store },
      },
    };
    await kubectl(admin, ['create', '-f', '-'], JSON.stringify(volume));
    return disk;
  }

  /** Not a byte is free from now on. */
  async fill(): Promise<void> {
    await this.#inside(['sh', '-c', `cat /dev/zero > ${this.#filler()} || true`]);
  }

  async free(): Promise<void> {
    await this.#inside(['rm', '-f', this.#filler()]);
  }

  /** The ids of all stored artifacts. */
  async artifacts(): Promise<string[]> {
    return (await this.#inside(['ls', join(this.#directory, 'store', 'artifacts')])).split('\n').filter(Boolean);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await kubectl(this.#admin, ['delete', 'persistentvolume', NAME, '--ignore-not-found', '--wait=false']);
    await this.#inside(['sh', '-c', `umount -l ${this.#directory} 2>/dev/null; rm -rf ${this.#directory}`]);
  }

  #filler(): string {
    return join(this.#directory, 'filler');
  }

  async #inside(command: readonly string[]): Promise<string> {
    return runInside(await requireInit(this.#index), command);
  }
}
