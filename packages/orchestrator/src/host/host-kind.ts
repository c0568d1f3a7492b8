import type { Duplex } from 'node:stream';
import type { BaggageclaimClient, Relay, StoreLimits } from '@seaplane/baggageclaim';
import type { Clock } from '@seaplane/engine';
import type { BaseTypeList } from './base-types.ts';
import { ConfigReader, oneOf } from './config-reader.ts';
import type { SandboxHost } from './sandbox-host.ts';
import { parseWorkerConfig, type WorkerConfig } from './worker-config.ts';

/**
 * A kind of host, as its package exports it. A program that knows the kind can run steps on such hosts; nothing else of
 * the package is needed. `Config` is the kind's own part of a worker's entry in the file.
 */
export interface HostKind<Config = unknown> {
  /** The value of `kind` in a worker's entry. */
  readonly name: string;
  /** The platform of steps that run on such a host: `linux`. */
  readonly platform: string;
  /** The base types of a worker whose entry has none. */
  readonly baseTypes?: BaseTypeList;
  /** Reads these two, if they depend on the worker's entry. Does no I/O. */
  machineOf?(entry: ConfigReader): Pick<HostKind, 'platform' | 'baseTypes'>;
  /** Reads the kind's own fields. Does no I/O. */
  parse(entry: ConfigReader): Config;
  /** Returns at once and does no I/O, so that a program starts also while a host is away. */
  open(worker: WorkerConfig, config: Config, services: HostServices): OpenHost;
}

/** Services that a program gives to the hosts it opens. */
export interface HostServices {
  /** The id of the program's database. A host marks what it makes with it, and touches nothing that has another mark. */
  readonly installation: string;
  /** The public half of the key that web signs its requests with. */
  readonly publicKey: string;
  /**
   * The key of the worker's authority, for its sidecars and store alone: they make the certificates by which clients know
   * them. Secret.
   */
  readonly authorityKey: string;
  /** Makes the client of a sidecar or store, which signs with the private half and trusts the worker's authority. */
  readonly client: (endpoint: Endpoint) => BaggageclaimClient;
  /** Makes a relay of a connection to the relay port of the store with this handle, and owns the connection. */
  readonly relay: (store: string, connection: Duplex, signal: AbortSignal) => Promise<Relay>;
  /** Called with every error in the background that the host tries again after. */
  readonly onTrouble: (error: Error) => void;
  readonly clock: Clock;
  /** Called by a host whose machine dials this program. Absent: nobody can dial. */
  readonly onDial?: (taker: DialTaker) => void;
}

/** Takes the connections of a worker's machine. */
export interface DialTaker {
  /** Gets every connection that is opened to this program in the worker's name. Whoever opened it has proven nothing yet. */
  answer(connection: Duplex): void;
  /**
   * The host of this taker has replaced that of another, under the same name. The machine's connection is this taker's from
   * now on, and the former one uses it for as long as steps need it.
   */
  takeOver(former: DialTaker): void;
}

/** A sidecar or store, as web and other sandboxes reach it. */
export interface Endpoint {
  /** The handle that a token for it must name. */
  readonly handle: string;
  /** The name in its certificate; default the handle. */
  readonly serverName?: string;
  /** Its address for web. */
  readonly url: string;
  /** Its address for other sandboxes. */
  readonly podUrl: string;
  /** Opens the way to it, if web can't connect to its address. */
  readonly connect?: Relay['connect'];
  /** How much a store keeps. */
  readonly limits?: Omit<StoreLimits, 'team'>;
}

export type OpenHost = SandboxHost & Disposable;

/** A worker of the configuration, whose host is not open yet. */
export interface ConfiguredWorker {
  readonly config: WorkerConfig;
  openHost(services: HostServices): OpenHost;
}

/** Parses a worker's entry. The first kind is that of an entry without `kind`. Complaints start with `where`. */
export function parseWorker(
  kinds: readonly [HostKind, ...HostKind[]],
  where: string,
  value: unknown,
): ConfiguredWorker {
  const entry = new ConfigReader(where, value);
  const name = entry.optional('kind', oneOf(...kinds.map((kind) => kind.name)));
  const kind = kinds.find((candidate) => candidate.name === name) ?? kinds[0];
  const { platform, baseTypes } = kind.machineOf?.(entry) ?? kind;
  const config = parseWorkerConfig(entry, platform, baseTypes);
  const own = kind.parse(entry);
  entry.end();
  return { config, openHost: (services) => kind.open(config, own, services) };
}
