import type { AgentServices } from '../agent-process.ts';
import type { AgentInfo } from '../protocol.ts';

/** The WebSocket of a worker's machine. In it is TLS by the key of both, and in that HTTP/2, in which web is the client. */
export function dialPath(worker: string): string {
  return `/workers/${encodeURIComponent(worker)}/dial`;
}

/** CONNECT with one of these is a connection to the agent. */
export const WAYS = { control: 'control', agent: 'agent' } as const;

/** POST with an `AgentSettings`: starts the agent, and answers with a {@link RemoteAgentInfo} or, with status 500, a `ControlError`. */
export const AGENT_PATH = '/agent';

/** The answer: the agent, and the kind of machine that it is on. A machine that names none isolates its steps and has Linux. */
export interface RemoteAgentInfo extends AgentInfo {
  readonly machine?: MachineKind;
}

export interface MachineKind {
  /** `linux` or `darwin`. */
  readonly platform: string;
  /** Steps are plain processes, without isolation. */
  readonly plainProcesses: boolean;
}

export type AgentSettings = Pick<AgentServices, 'installation' | 'publicKey' | 'authorityKey'>;
