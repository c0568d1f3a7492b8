import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { type Context, Hono } from 'hono';
import type { ImageShelf, ShelvedImage } from './image-shelf.ts';

/**
 * Serves the part of the OCI distribution specification that a kubelet needs to pull an image: manifests and blobs by digest.
 * Nothing can be listed, so a client finds an image only if it knows its name.
 */
export function createImageApp(images: ImageShelf): Hono {
  const app = new Hono();
  app.use('*', async (c, next) => {
    await next();
    c.header('Docker-Distribution-API-Version', 'registry/2.0');
  });
  app.get('/v2/', (c) => c.json({}));
  app.get('/v2/:top/:name/:kind/:digest', (c) => {
    const { top, name, kind, digest } = c.req.param();
    const image = images.find(`${top}/${name}`);
    const blob = image && blobOf(image, kind, digest);
    return blob ? sendBlob(c, images.blobPath(blob.digest), blob) : unknown(c, kind);
  });
  app.notFound((c) => unknown(c, 'name'));
  return app;
}

/** The first blob is the manifest. */
function blobOf({ blobs }: ShelvedImage, kind: string, digest: string): ShelvedImage['blobs'][number] | undefined {
  const [manifest, ...rest] = blobs;
  if (kind === 'manifests') return manifest?.digest === digest ? manifest : undefined;
  return kind === 'blobs' ? rest.find((blob) => blob.digest === digest) : undefined;
}

function sendBlob(c: Context, path: string, { digest, size, mediaType }: ShelvedImage['blobs'][number]): Response {
  const headers = {
    'Docker-Content-Digest': digest,
    'Content-Type': mediaType,
    'Accept-Ranges': 'bytes',
    ETag: `"${digest}"`,
  };
  const range = rangeOf(c.req.header('Range'), size);
  if (range === 'unsatisfiable') {
    return c.body(null, 416, { ...headers, 'Content-Range': `bytes */${size}` });
  }
  const { start, end } = range ?? { start: 0, end: size - 1 };
  const length = { ...headers, 'Content-Length': String(end - start + 1) };
  // A kubelet sends a HEAD request first.
  const body =
    c.req.method === 'HEAD' ? null : (Readable.toWeb(createReadStream(path, { start, end })) as ReadableStream);
  if (!range) return new Response(body, { headers: length });
  return new Response(body, { status: 206, headers: { ...length, 'Content-Range': `bytes ${start}-${end}/${size}` } });
}

/** Parses a header with one range. Any other is ignored, as the specification allows: the whole blob is sent. */
export function rangeOf(
  header: string | undefined,
  size: number,
): { start: number; end: number } | 'unsatisfiable' | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (start >= size) return 'unsatisfiable';
  return start > end ? undefined : { start, end };
}

function unknown(c: Context, kind: string): Response {
  const code = kind === 'manifests' ? 'MANIFEST_UNKNOWN' : kind === 'blobs' ? 'BLOB_UNKNOWN' : 'NAME_UNKNOWN';
  return c.json({ errors: [{ code, message: 'not found' }] }, 404);
}
