import type { Duplex } from 'node:stream';
import type { AgentInfo } from './protocol.ts';

/** The way from web to the agent of a machine. */
export interface AgentAccess extends Disposable {
  /** Starts the agent if there is none, and returns where it serves. May wait for the machine. */
  info(signal?: AbortSignal): Promise<AgentInfo>;
  /** The agent did not answer a call. The next one looks for it again. */
  forget(): void;
  /** How HTTP requests get to the agent's control socket. */
  readonly control: ControlWay;
  /** Opens a connection to the port at which sandboxes and the store are served. Absent: the port is on this machine. */
  readonly connect?: () => Duplex;
}

/** Options of `http.request`, and words for where that leads. */
export interface ControlWay {
  readonly socketPath?: string;
  readonly createConnection?: () => Duplex;
  readonly where: string;
}
