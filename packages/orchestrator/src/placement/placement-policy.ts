import type { Clock } from '@seaplane/engine';
import { ChangeSignal } from '../change-signal.ts';
import { SilentRegistries } from './silent-registries.ts';
import { PLACEMENT_DEFAULTS, type PlacementSettings } from './strategies.ts';

/**
 * How steps choose among workers, for all builds of a web. `changes` wakes steps that wait until a worker has room, when
 * another step of this web has ended. The ends of other webs' steps are seen a few seconds later.
 */
export class PlacementPolicy {
  readonly settings: PlacementSettings;
  readonly changes: ChangeSignal;
  readonly silentRegistries: SilentRegistries;
  /** Decides between workers that are equal for all strategies. */
  readonly random: () => number;

  constructor(clock: Clock, settings: PlacementSettings = PLACEMENT_DEFAULTS, random: () => number = Math.random) {
    this.changes = new ChangeSignal(clock);
    this.silentRegistries = new SilentRegistries(clock);
    this.settings = settings;
    this.random = random;
  }
}
