import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import {
  type Content,
  type Descriptor,
  type Digest,
  downloadBlob,
  fetchManifest,
  openContent,
  type RegistryClient,
  writeBlob,
} from '@seaplane/oci';
import type { ActionContext } from '../request.ts';

/** Stores an image, or an index with the images of all platforms, as an OCI layout. */
export async function saveLayout(
  context: ActionContext,
  client: RegistryClient,
  digest: Digest,
  dir: string,
): Promise<void> {
  const content = await openContent(dir);
  const entry = await saveManifest(context, client, content, digest);
  await writeFile(join(dir, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }));
  await writeFile(join(dir, 'index.json'), JSON.stringify({ schemaVersion: 2, manifests: [entry] }));
  await rm(join(dir, 'ingest'), { recursive: true });
}

async function saveManifest(
  context: ActionContext,
  client: RegistryClient,
  content: Content,
  digest: Digest,
): Promise<Descriptor> {
  const { mediaType, bytes, document } = await fetchManifest(client, digest, context.signal);
  if (document.kind === 'index') {
    for (const child of document.manifests) await saveManifest(context, client, content, child.digest);
  } else {
    for (const blob of [document.config, ...document.layers]) {
      context.log(`blob ${blob.digest}, ${(blob.size / 1e6).toFixed(1)} MB`);
      const source = Readable.from(downloadBlob(client, blob, context.signal), { objectMode: false });
      await writeBlob(content, source, blob);
    }
  }
  const written = await writeBlob(content, Readable.from([bytes], { objectMode: false }));
  return { mediaType, ...written };
}
