import type { Clock } from '@seaplane/orchestrator';
import type { Target } from '../target.ts';
import { type MissingPermissions, missingPermissions } from './access-review.ts';
import type { KubeApi } from './kube-api.ts';

/** Rights that nothing has cast doubt on are asked for again after this time. */
const LONG_MS = 10 * 60_000;

/**
 * The rights that we have in the namespace, as far as they are known. The cluster is asked only when something may have
 * changed: a request was refused for its rights, the credentials were read again, a right was missing, or a long time has passed.
 */
export class KnownRights {
  readonly #api: KubeApi;
  readonly #target: Target;
  readonly #clock: Clock;
  #allAt: { readonly epoch: number; readonly time: number } | undefined;

  constructor(api: KubeApi, target: Target, clock: Clock) {
    this.#api = api;
    this.#target = target;
    this.#clock = clock;
  }

  async missing(signal: AbortSignal): Promise<MissingPermissions> {
    const [known, epoch, time] = [this.#allAt, this.#api.rightsEpoch, this.#clock.elapsedMs()];
    if (known?.epoch === epoch && time - known.time < LONG_MS) return { needed: [], optional: [] };
    this.#allAt = undefined;
    const missing = await missingPermissions(this.#api, this.#target, signal);
    if (missing.needed.length + missing.optional.length === 0) this.#allAt = { epoch, time };
    return missing;
  }
}
