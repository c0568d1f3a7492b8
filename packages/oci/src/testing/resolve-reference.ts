import type { Digest } from '../descriptor.ts';
import { type RegistrySettings, withRegistry } from '../registry/endpoints.ts';
import { resolveDigest } from '../registry/fetch-documents.ts';
import type { Reference } from '../registry/reference.ts';
import type { Clock } from '../registry/retry.ts';

/** The digest that a reference has now, as the check of registry-image asks for it. */
export function resolveReference(
  clock: Clock,
  reference: Reference,
  { settings = {}, signal }: { settings?: RegistrySettings; signal: AbortSignal },
): Promise<Digest | undefined> {
  return withRegistry({ clock, settings }, reference, signal, (client) =>
    resolveDigest(client, reference.digest ?? reference.tag ?? 'latest', signal),
  );
}
