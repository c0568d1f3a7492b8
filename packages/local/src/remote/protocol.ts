import type { AgentServices } from '../agent-process.ts';

/** The WebSocket of a worker's machine. In it is TLS by the key of both, and in that HTTP/2, in which web is the client. */
export function dialPath(worker: string): string {
  return `/workers/${encodeURIComponent(worker)}/dial`;
}

/** CONNECT with one of these is a connection to the agent. */
export const WAYS = { control: 'control', agent: 'agent' } as const;

/** POST with an `AgentSettings`: starts the agent, and answers with its `AgentInfo` or, with status 500, a `ControlError`. */
export const AGENT_PATH = '/agent';

export type AgentSettings = Pick<AgentServices, 'installation' | 'publicKey' | 'authorityKey'>;
