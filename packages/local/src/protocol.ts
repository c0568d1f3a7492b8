import type { HostErrorCode } from '@seaplane/orchestrator';

/**
 * The messages between the host in web and its agent: HTTP with JSON over a socket in the worker's directory, which only
 * its owner can enter. Everything of one sandbox goes to the sandbox's own server, as on other hosts.
 */
export const CONTROL = {
  /** GET: an `AgentInfo`. */
  info: '/info',
  /** GET: a `HostHealth`. */
  check: '/check',
  /** GET: all handles. POST: makes the sandbox of a `SandboxSpec`. DELETE of `/HANDLE`: destroys it. */
  sandboxes: '/sandboxes',
  /** GET: a `SandboxEvent` in each line. */
  watch: '/watch',
} as const;

/** The image of a task that names none: the programs of this machine. */
export const HOST_IMAGE = 'host';

/** The name in the agent's certificate, and in tokens for its store. No sandbox has it: their handles have a hyphen. */
export const AGENT_NAME = 'agent';
export const STORE_PREFIX = '/store';

/** The path in front of the routes of a sandbox's server. */
export function sandboxPrefix(handle: string): string {
  return `/sandboxes/${encodeURIComponent(handle)}`;
}

/** GET /info. */
export interface AgentInfo {
  /** Tells the agent that a web has started from others. */
  readonly nonce: string;
  /** The id of the database that the agent works for. */
  readonly installation: string;
  /** The key that it takes tokens of. */
  readonly publicKey: string;
  /** Its sandboxes are not isolated. */
  readonly plainProcesses: boolean;
  /** Sandboxes and the store are served here, at 127.0.0.1. */
  readonly port: number;
}

/** The body of an answer with a status of 400 or more. */
export interface ControlError {
  readonly code: HostErrorCode;
  readonly message: string;
}

/** The agent's settings, in its environment: other users of the machine can read command lines. */
export const VARIABLE = {
  installation: 'SEAPLANE_INSTALLATION',
  publicKey: 'SEAPLANE_PUBLIC_KEY',
  authorityKey: 'SEAPLANE_AUTHORITY_KEY',
  nonce: 'SEAPLANE_AGENT_NONCE',
  /** A `Registries`. */
  registries: 'SEAPLANE_REGISTRIES',
  /** `yes` or `no`: whether sandboxes are plain processes, without isolation. */
  plainProcesses: 'SEAPLANE_PLAIN_PROCESSES',
} as const;

/** The words for an agent that is to be of the other kind than its directory. */
export function otherIsolation(directory: string, wasPlain: boolean): string {
  const words = wasPlain ? 'steps are plain processes' : 'steps are isolated';
  return `${directory} belongs to a worker whose ${words}: reset it, or choose another data directory`;
}

/** The agent's argument in front of the directory that it is to remove. */
export const RESET = '--reset';

/** The agent prints this line when it serves. */
export const READY = 'ready';
