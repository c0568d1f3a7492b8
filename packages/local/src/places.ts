import { createHash } from 'node:crypto';
import { join } from 'node:path';

/** The supervisor for this machine, which comes with the source. */
export const SUPERVISOR = join(import.meta.dirname, '../../supervisor/bin', `${process.platform}-${process.arch}`);

/** The files of a worker, below its directory. Everything there belongs to the worker's owner alone. */
export interface Places {
  readonly root: string;
  readonly socket: string;
  /** The port that the agent listened at last. It asks for the same again, so that its clients find it after a restart. */
  readonly port: string;
  /** Locked by the agent, where the system has no better lock. */
  readonly lock: string;
  /** The id of the database that everything here belongs to. */
  readonly installation: string;
  /** Is there if sandboxes here are not isolated. */
  readonly plainProcesses: string;
  readonly sandboxes: string;
  /** Directories that are being made, and those that are being removed. An agent empties it when it starts. */
  readonly incoming: string;
  readonly store: string;
  /** Artifacts and sandboxes that were deleted while another sandbox ran from them, or had them as inputs. */
  readonly lowers: string;
  readonly hostImage: string;
  /** Layers of images of registries, each unpacked into a directory of its own. */
  readonly layers: string;
  readonly images: string;
  /** Programs of the built-in resource types. */
  readonly builtIn: string;
}

export function placesIn(root: string): Places {
  return {
    root,
    socket: join(root, 'agent.sock'),
    port: join(root, 'port'),
    lock: join(root, 'lock'),
    installation: join(root, 'installation'),
    plainProcesses: join(root, 'plain-processes'),
    sandboxes: join(root, 'sandboxes'),
    incoming: join(root, 'incoming'),
    store: join(root, 'store'),
    lowers: join(root, 'lowers'),
    hostImage: join(root, 'host-image'),
    layers: join(root, 'layers'),
    images: join(root, 'images'),
    builtIn: join(root, 'built-in'),
  };
}

/** Sixteen hexadecimal digits. Handles may be longer than the name of a socket can be. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
