import type { SandboxHost } from './sandbox-host.ts';

/** Destroys every sandbox, and deletes every artifact in the store. Returns whether nothing was left. Idempotent. */
export async function clearHost(
  host: Pick<SandboxHost, 'list' | 'destroy' | 'store'>,
  signal: AbortSignal,
): Promise<boolean> {
  const handles = await host.list(signal);
  for (const handle of handles) await host.destroy(handle);
  const store = await host.store();
  const artifacts = await store.listArtifacts(signal);
  for (const id of artifacts) await store.deleteArtifact(id, signal);
  return handles.length + artifacts.length === 0;
}
