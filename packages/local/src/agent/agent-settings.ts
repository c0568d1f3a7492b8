import type { PartOptions } from '@seaplane/baggageclaim/server';
import type { Places } from '../places.ts';
import type { Registries } from '../registries.ts';
import type { Mode } from './enter-command.ts';
import type { FindHere } from './trees-here.ts';

/** Everything that the parts of an agent share. */
export interface AgentSettings {
  readonly places: Places;
  /** How sandboxes are made. Throws, in words, if that is not possible here. */
  readonly mode: () => Promise<Mode>;
  /** Sandboxes are plain processes of this user, without isolation. */
  readonly plainProcesses: boolean;
  /** The program that sandboxes get a copy of. */
  readonly supervisor: string;
  readonly registries: Registries;
  /** Of the running of this machine. */
  readonly bootId: string;
  /** Trees of this machine, as sources of inputs name them. */
  readonly findHere: FindHere;
  readonly server: Pick<PartOptions, 'runtime' | 'publicKeys' | 'version' | 'copyHere'>;
}
