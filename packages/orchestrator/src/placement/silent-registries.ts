import type { RegistryImageRequest } from '@seaplane/baggageclaim';
import type { Clock } from '@seaplane/engine';

const REMEMBERED_MS = 60_000;

/**
 * Registries that did not answer a worker a moment ago. Asking one costs seconds before the resource type fetches the image, so only the
 * first of many gets asks. Kept in memory: another web asks once, too.
 */
export class SilentRegistries {
  readonly #clock: Clock;
  /** Since when, by worker and registry. */
  readonly #since = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(worker: string, request: RegistryImageRequest): void {
    const now = this.#clock.elapsedMs();
    for (const [key, since] of this.#since) if (now - since >= REMEMBERED_MS) this.#since.delete(key);
    this.#since.set(keyOf(worker, request), now);
  }

  /** How long ago the registry did not answer the worker, in milliseconds. Undefined if that was long ago, or never. */
  silentFor(worker: string, request: RegistryImageRequest): number | undefined {
    const since = this.#since.get(keyOf(worker, request));
    const age = since === undefined ? REMEMBERED_MS : this.#clock.elapsedMs() - since;
    return age < REMEMBERED_MS ? age : undefined;
  }
}

/** The registry's host in a name such as `ghcr.io/owner/name`. */
export function registryOf({ repository }: RegistryImageRequest): string {
  const [first = '', ...rest] = repository.split('/');
  return rest.length > 0 && (/[.:]/.test(first) || first === 'localhost') ? first : 'docker.io';
}

/** Another certificate or mirror may be the way to a registry that is silent otherwise. */
function keyOf(worker: string, request: RegistryImageRequest): string {
  const { insecure = false, ca = [], mirror } = request;
  return JSON.stringify([worker, registryOf(request), insecure, ca, mirror?.host]);
}
