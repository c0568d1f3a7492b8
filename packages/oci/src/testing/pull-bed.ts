import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LayerStore } from '../registry/layer-store.ts';
import { type PullDeps, type PulledImage, type PullOptions, pullImage } from '../registry/pull.ts';
import { parseReference } from '../registry/reference.ts';
import { RegistryDouble } from './registry-double.ts';
import { type TestImage, testImage, testLayer } from './test-image.ts';

/** A registry, and a directory that images are pulled into. Nobody waits: the pauses are written down. */
export class PullBed implements AsyncDisposable {
  readonly registry: RegistryDouble;
  readonly scratch: string;
  readonly slept: number[] = [];
  readonly clock = {
    now: () => 0,
    sleep: async (ms: number) => {
      this.slept.push(ms);
    },
  };

  private constructor(registry: RegistryDouble, scratch: string) {
    this.registry = registry;
    this.scratch = scratch;
  }

  static async start(): Promise<PullBed> {
    return new PullBed(await RegistryDouble.start(), await mkdtemp(join(tmpdir(), 'oci-pull-')));
  }

  async deps(): Promise<PullDeps> {
    const layers = await LayerStore.open(join(this.scratch, 'layers'));
    return { clock: this.clock, layers, imagesDir: join(this.scratch, 'images'), convertWhiteouts: async () => {} };
  }

  async pull(by = ':1', options: Partial<PullOptions> = {}, own?: PullDeps): Promise<PulledImage> {
    const reference = parseReference(`${this.registry.host}/a/b${by}`);
    const { signal } = new AbortController();
    return pullImage(own ?? (await this.deps()), reference, { signal, ...options });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.registry[Symbol.asyncDispose]();
    await rm(this.scratch, { recursive: true, force: true });
  }
}

export async function oneLayer(files: Record<string, string | Buffer> = { 'etc/x': 'x' }): Promise<TestImage> {
  return testImage([await testLayer(files, 'gzip')]);
}
