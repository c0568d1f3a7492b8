import { access, mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ContainerLimits } from '@seaplane/config';
import { hashOf } from '../places.ts';

const MOUNT = '/sys/fs/cgroup';
/** A cgroup can be removed when the kernel has taken its last process out, a moment after that has ended. */
const REMOVE_TRIES = 50;
const REMOVE_PAUSE_MS = 20;

interface Limit {
  readonly controller: 'cpu' | 'memory';
  readonly v1: readonly [file: string, value: string];
  readonly v2: readonly [file: string, value: string];
}

/** The limits of a sandbox as the kernel's files take them. CPU shares are those of Concourse and of containers. */
export function limitsOf({ cpu, memory }: ContainerLimits): Limit[] {
  const limits: Limit[] = [];
  if (cpu) {
    const shares = Math.min(Math.max(cpu, 2), 262_144);
    const weight = 1 + Math.floor(((shares - 2) * 9_999) / 262_142);
    limits.push({ controller: 'cpu', v1: ['cpu.shares', String(shares)], v2: ['cpu.weight', String(weight)] });
  }
  if (memory) {
    const bytes = String(memory);
    limits.push({ controller: 'memory', v1: ['memory.limit_in_bytes', bytes], v2: ['memory.max', bytes] });
  }
  return limits;
}

/**
 * The cgroups of a worker's sandboxes: `/sys/fs/cgroup[/CONTROLLER]/seaplane-local-WORKER/SANDBOX`. A sandbox without limits has
 * none. Where the machine gives no cgroups, sandboxes have no limits, and the build's log says so.
 */
export class Cgroups {
  readonly #name: string;
  readonly #mount: string;

  constructor(directory: string, mount = MOUNT) {
    this.#name = `seaplane-local-${hashOf(directory)}`;
    this.#mount = mount;
  }

  /** Makes the cgroups. Returns their `cgroup.procs` files, and the controllers that are not to be had. */
  async make(
    sandbox: string,
    asked: ContainerLimits,
  ): Promise<{ readonly procs: readonly string[]; readonly missing: readonly string[] }> {
    const isV2 = await this.#isV2();
    const [procs, missing] = [new Set<string>(), new Set<string>()];
    for (const { controller, v1, v2 } of limitsOf(asked)) {
      const dir = join(this.#parent(isV2, controller), sandbox);
      const [file, value] = isV2 ? v2 : v1;
      try {
        if (isV2) await this.#enable(controller);
        await access(this.#root(isV2, controller));
        await mkdir(dir, { recursive: true });
        await writeFile(join(dir, file), value);
        procs.add(join(dir, 'cgroup.procs'));
      } catch {
        missing.add(controller);
      }
    }
    return { procs: [...procs], missing: [...missing] };
  }

  /** Removes the cgroups of a sandbox that has ended. */
  async remove(sandbox: string): Promise<void> {
    for (const parent of await this.#parents()) await removeCgroup(join(parent, sandbox));
  }

  /** Removes the cgroups of all other sandboxes, and what is empty then. */
  async sweep(sandboxes: ReadonlySet<string>): Promise<void> {
    for (const parent of await this.#parents()) {
      const there = await readdir(parent, { withFileTypes: true }).catch(() => []);
      const dead = there.filter((entry) => entry.isDirectory() && !sandboxes.has(entry.name));
      for (const { name } of dead) await removeCgroup(join(parent, name));
      if (sandboxes.size === 0) await rmdir(parent).catch(() => {});
    }
  }

  async #parents(): Promise<string[]> {
    const isV2 = await this.#isV2();
    return isV2 ? [this.#parent(true)] : [this.#parent(false, 'cpu'), this.#parent(false, 'memory')];
  }

  #root(isV2: boolean, controller = ''): string {
    return isV2 ? this.#mount : join(this.#mount, controller);
  }

  #parent(isV2: boolean, controller = ''): string {
    return join(this.#root(isV2, controller), this.#name);
  }

  #isV2(): Promise<boolean> {
    return access(join(this.#mount, 'cgroup.controllers')).then(
      () => true,
      () => false,
    );
  }

  /** A controller must be enabled in every cgroup above those that use it. */
  async #enable(controller: string): Promise<void> {
    await mkdir(this.#parent(true), { recursive: true });
    for (const dir of [this.#mount, this.#parent(true)]) {
      const file = join(dir, 'cgroup.subtree_control');
      const enabled = (await readFile(file, 'utf8')).trim().split(' ');
      if (!enabled.includes(controller)) await writeFile(file, `+${controller}`);
    }
  }
}

async function removeCgroup(dir: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await rmdir(dir);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') return;
      if (code !== 'EBUSY' || tries === REMOVE_TRIES) return console.error(`cannot remove ${dir}: ${code}`);
    }
    await new Promise((resolve) => setTimeout(resolve, REMOVE_PAUSE_MS));
  }
}
