import type { Readable } from 'node:stream';
import type { Descriptor } from '../descriptor.ts';
import { OciError } from '../oci-error.ts';
import { digestOf } from './documents.ts';
import type { RegistryClient } from './registry-client.ts';

/** Sends a blob unless the repository has it. `open` is called again when the registry must be asked again. */
export async function pushBlob(
  client: RegistryClient,
  { digest, size }: Pick<Descriptor, 'digest' | 'size'>,
  open: () => Readable | Buffer,
  signal: AbortSignal,
): Promise<'sent' | 'there'> {
  const head = await client.request({ method: 'HEAD', path: `/blobs/${digest}`, ok: [200, 404], signal });
  head.body.resume();
  if (head.status === 200) return 'there';
  const begun = await client.request({
    method: 'POST',
    path: '/blobs/uploads/',
    headers: { 'content-length': '0' },
    ok: [202],
    signal,
  });
  begun.body.resume();
  const { location } = begun.headers;
  if (location === undefined) {
    throw new OciError('registry-failed', `${client.repository.registry} does not say where to send a blob`);
  }
  const to = new URL(location, begun.url);
  to.searchParams.set('digest', digest);
  const sent = await client.request({
    method: 'PUT',
    path: to,
    headers: { 'content-type': 'application/octet-stream', 'content-length': String(size) },
    body: open,
    ok: [201],
    signal,
  });
  sent.body.resume();
  return 'sent';
}

/** Stores a manifest or an index, whose blobs are there already, under a tag or its digest. */
export async function pushManifest(
  client: RegistryClient,
  name: string,
  { mediaType, bytes }: { mediaType: string; bytes: Buffer },
  signal: AbortSignal,
): Promise<void> {
  const answer = await client.request({
    method: 'PUT',
    path: `/manifests/${name}`,
    headers: { 'content-type': mediaType, 'content-length': String(bytes.length) },
    body: () => bytes,
    ok: [201],
    signal,
  });
  answer.body.resume();
  const stored = answer.headers['docker-content-digest'];
  if (typeof stored === 'string' && stored !== digestOf(bytes)) {
    throw new OciError(
      'digest-mismatch',
      `${client.repository.registry} stored ${stored} instead of ${digestOf(bytes)}`,
    );
  }
}
