import { execFile } from 'node:child_process';
import type { Stats } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { BaggageclaimError, type RegistryImageAnswer, type RegistryImageRequest } from '@seaplane/baggageclaim';
import { imageFacts, ociInWords, settingsOf } from '@seaplane/baggageclaim/server';
import {
  type ContainerConfig,
  findPulled,
  LayerStore,
  loadImage,
  OciError,
  type PullEvent,
  type PulledImage,
  parseDigest,
  parseReference,
  parseRepository,
  pullImage,
  type Reference,
  type RegistrySettings,
} from '@seaplane/oci';
import { HostError } from '@seaplane/orchestrator';
import { settingsFor } from '../registries.ts';
import type { AgentSettings } from './agent-settings.ts';
import { type ImageTree, pulledReference } from './images.ts';

const clock = { now: Date.now, sleep: (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal }) };

const HOUR_MS = 3_600_000;
const KEPT_DAYS = 14;
/** Less of the disk than this should not be free. */
const FREE_SHARE = 0.1;

/** Images of layers: of registries, and of archives on this machine. Their layers are shared, and stay while they are used. */
export class LayeredImages {
  readonly #settings: AgentSettings;
  readonly #layers: LayerStore;
  /** What an archive held, by its path, as long as it does not change. */
  readonly #loaded = new Map<string, { readonly state: string; readonly tree: ImageTree }>();
  /** How many images are being pulled or loaded. */
  #busy = 0;

  private constructor(settings: AgentSettings, layers: LayerStore) {
    this.#settings = settings;
    this.#layers = layers;
  }

  static async open(settings: AgentSettings): Promise<LayeredImages> {
    return new LayeredImages(settings, await LayerStore.open(settings.places.layers));
  }

  /** Pulls an image when a sandbox asks for it. `onNotice` gets lines for the build's log. */
  async pull(text: string, onNotice: (line: string) => void, signal: AbortSignal): Promise<ImageTree> {
    const { registries } = this.#settings;
    return imageOf(`the image ${text} can't be pulled`, async () => {
      const reference = parseReference(text);
      const settings = await settingsFor(registries, reference.registry);
      return this.#pull(reference, settings, true, onNotice, signal);
    });
  }

  /**
   * Removes layers that nobody has asked for for days, and sooner if the disk is almost full. Layers that were asked for within the last
   * hour stay: their sandbox may not be made yet. Does nothing while an image is being pulled.
   */
  async collect(isNeeded: (directory: string) => boolean): Promise<void> {
    if (this.#busy > 0) return;
    const { places, registries } = this.#settings;
    const keptMs = (registries.keptDays ?? KEPT_DAYS) * 24 * HOUR_MS;
    const isDue = async (unusedMs: number) => {
      if (this.#busy > 0 || unusedMs < HOUR_MS) return false;
      if (unusedMs >= keptMs) return true;
      const { bavail, blocks } = await statfs(places.layers);
      return bavail < blocks * FREE_SHARE;
    };
    await this.#layers.collect({ isNeeded, isDue }, Date.now());
  }

  /**
   * Pulls the image of a resource, as the resource's own source says: the worker's passwords are not for it, the worker's mirrors and
   * certificates are. The registry is asked once for each repository and password, as a fetched version is fetched once.
   */
  async provide(
    request: RegistryImageRequest,
    onLine: (line: string) => void,
    signal: AbortSignal,
  ): Promise<RegistryImageAnswer> {
    try {
      return await ociInWords(async () => {
        const reference = { ...parseRepository(request.repository), digest: parseDigest(request.digest) };
        const { credentials: _, ...own } = await settingsFor(this.#settings.registries, reference.registry);
        const settings = { ...own, ...settingsOf(request), ca: [...(own.ca ?? []), ...(request.ca ?? [])] };
        let cached = true;
        const onPull = (line: string) => {
          cached = false;
          onLine(line);
        };
        const { config, digest } = await this.#pull(reference, settings, false, onPull, signal);
        return { reference: pulledReference(digest), ...imageFacts(config), ...(cached && { cached }) };
      });
    } catch (cause) {
      if (!(cause instanceof HostError)) throw cause;
      throw new BaggageclaimError('unavailable', cause.message, { cause });
    }
  }

  /** An image that {@link provide} has pulled. */
  async findPulled(digest: string): Promise<ImageTree> {
    return imageOf(`the image ${digest} can't be used`, async () => {
      const image = await findPulled(
        { layers: this.#layers, imagesDir: this.#settings.places.images },
        parseDigest(digest),
      );
      if (!image) throw new OciError('unknown-image', 'it was pulled, and is not here any more. Run the build again');
      return image;
    });
  }

  async #pull(
    reference: Reference,
    settings: RegistrySettings,
    askAgain: boolean,
    onNotice: (line: string) => void,
    signal: AbortSignal,
  ): Promise<PulledImage> {
    const onEvent = (event: PullEvent) => {
      const line = lineOf(event);
      if (line !== undefined) onNotice(line);
    };
    const deps = { ...(await this.#layerDeps()), clock, imagesDir: this.#settings.places.images };
    return this.#whileBusy(() => pullImage(deps, reference, { settings, onEvent, askAgain, signal }));
  }

  /** The image of an OCI layout, or of an archive of one, on this machine. It is read again when it has changed. */
  async load(path: string, info: Stats, signal: AbortSignal): Promise<ImageTree> {
    const state = `${info.ino} ${info.size} ${info.mtimeMs}`;
    const known = this.#loaded.get(path);
    if (known?.state === state && (await this.#layers.haveAll(known.tree.lowers))) return known.tree;
    const tree = await imageOf(`the image ${path} can't be used`, async () => {
      const deps = await this.#layerDeps();
      return this.#whileBusy(() => loadImage(deps, path, { signal }));
    });
    this.#loaded.set(path, { state, tree });
    return tree;
  }

  async #whileBusy<T>(work: () => Promise<T>): Promise<T> {
    this.#busy++;
    try {
      return await work();
    } finally {
      this.#busy--;
    }
  }

  async #layerDeps() {
    const { mode, supervisor } = this.#settings;
    const flags = (await mode()).userxattr ? ['--userxattr'] : [];
    const convertWhiteouts = async (dir: string, stop: AbortSignal) => {
      await promisify(execFile)(supervisor, ['--whiteouts', ...flags, dir], { env: {}, signal: stop });
    };
    return { layers: this.#layers, convertWhiteouts };
  }
}

async function imageOf(
  problem: string,
  bring: () => Promise<{ readonly config: ContainerConfig; readonly layers: readonly string[] }>,
): Promise<ImageTree> {
  try {
    const { layers, config } = await bring();
    return { lowers: layers.toReversed(), binds: [], env: config.Env ?? [] };
  } catch (cause) {
    if (!(cause instanceof OciError)) throw cause;
    throw new HostError('image-pull', `${problem}: ${cause.message}`, { cause });
  }
}

function lineOf(event: PullEvent): string | undefined {
  switch (event.type) {
    case 'fetching':
      return `pulling ${event.image}: ${event.layers} layers, ${(event.bytes / 1e6).toFixed(1)} MB`;
    case 'mirror-failed':
      return event.message;
    case 'unpacked':
      return `unpacked ${event.digest.slice(0, 'sha256:'.length + 12)}`;
    default:
      return undefined;
  }
}
