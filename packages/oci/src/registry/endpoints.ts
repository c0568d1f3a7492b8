import { OciError } from '../oci-error.ts';
import { isDockerHub, parseRepository, type Repository } from './reference.ts';
import { type Access, type Credentials, RegistryClient } from './registry-client.ts';
import type { Clock } from './retry.ts';

/** A registry that holds copies of Docker Hub's images. */
export interface Mirror {
  readonly host: string;
  readonly credentials?: Credentials;
}

export interface RegistrySettings extends Access {
  /** Asked first, in this order, for images of Docker Hub. Other registries are asked directly. */
  readonly mirrors?: readonly Mirror[];
}

/**
 * Calls `use` with a client of each mirror in turn, then of the registry itself, until one succeeds. `use` must be
 * repeatable. The error is the registry's; those of mirrors go to `onFailure`.
 */
export async function withRegistry<T>(
  { clock, settings, onFailure }: { clock: Clock; settings: RegistrySettings; onFailure?: (message: string) => void },
  repository: Repository,
  signal: AbortSignal,
  use: (client: RegistryClient) => Promise<T>,
): Promise<T> {
  const { credentials: _, ...rest } = settings;
  for (const { host, credentials } of isDockerHub(repository) ? (settings.mirrors ?? []) : []) {
    const mirror = parseRepository(`${host}/${repository.name}`);
    using client = new RegistryClient(clock, mirror, { ...rest, ...(credentials && { credentials }) });
    try {
      return await use(client);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof OciError)) throw error;
      onFailure?.(`mirror ${host} failed: ${error.message}`);
    }
  }
  using client = new RegistryClient(clock, repository, settings);
  return await use(client);
}
