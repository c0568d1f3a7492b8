import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { LayerStore, OciError, type PullEvent, parseReference, pullImage } from '@seaplane/oci';
import { HostError } from '@seaplane/orchestrator';
import type { AgentSettings } from './agent-settings.ts';
import type { ImageTree } from './images.ts';

const clock = { now: Date.now, sleep: (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal }) };

/** Images of registries, pulled when a sandbox asks for them. Their layers stay, and are shared. */
export class RegistryImages {
  readonly #settings: AgentSettings;
  readonly #layers: LayerStore;

  private constructor(settings: AgentSettings, layers: LayerStore) {
    this.#settings = settings;
    this.#layers = layers;
  }

  static async open(settings: AgentSettings): Promise<RegistryImages> {
    return new RegistryImages(settings, await LayerStore.open(settings.places.layers));
  }

  /** `onNotice` gets lines for the build's log. */
  async pull(text: string, onNotice: (line: string) => void, signal: AbortSignal): Promise<ImageTree> {
    const { places, mode, supervisor } = this.#settings;
    const flags = (await mode()).userxattr ? ['--userxattr'] : [];
    const convertWhiteouts = async (dir: string, stop: AbortSignal) => {
      await promisify(execFile)(supervisor, ['--whiteouts', ...flags, dir], { env: {}, signal: stop });
    };
    try {
      const deps = { clock, layers: this.#layers, imagesDir: places.images, convertWhiteouts };
      const onEvent = (event: PullEvent) => {
        const line = lineOf(event);
        if (line !== undefined) onNotice(line);
      };
      const { layers, config } = await pullImage(deps, parseReference(text), { onEvent, signal });
      return { lowers: layers.toReversed(), binds: [], env: config.Env ?? [] };
    } catch (cause) {
      if (!(cause instanceof OciError)) throw cause;
      throw new HostError('image-pull', `the image ${text} can't be pulled: ${cause.message}`, { cause });
    }
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
