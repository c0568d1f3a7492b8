import { createReadStream } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { run } from '../run.ts';

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
}

export interface Place {
  /** `HOST:PORT` of a registry that is open to all. */
  readonly host: string;
  /** The authority of its certificate, PEM. */
  readonly ca: string;
  readonly name: string;
  readonly tag: string;
}

/** Pushes the image of an OCI archive, whose index names one. Uses nothing of the product, so that tests of the product can rely on it. */
export async function pushImage(archive: string, { host, ca, name, tag }: Place): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'push-'));
  const fileOf = ({ digest }: Descriptor) => join(dir, 'blobs', ...digest.split(':'));
  const send = async (method: string, url: URL, file?: string, type = 'application/octet-stream'): Promise<string> => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const outgoing = request(url, { method, ca, headers: file ? { 'content-type': type } : {} }, (answer) => {
      answer.resume();
      const { statusCode = 0, headers } = answer;
      if (statusCode < 300) resolve(headers.location ?? '');
      else reject(new Error(`${method} ${url}: ${statusCode}`));
    });
    outgoing.on('error', reject);
    if (file) pipeline(createReadStream(file), outgoing).catch(reject);
    else outgoing.end();
    return promise;
  };
  try {
    await run('tar', ['-xf', archive, '-C', dir]);
    const { manifests } = JSON.parse(await readFile(join(dir, 'index.json'), 'utf8')) as { manifests: [Descriptor] };
    const [manifest] = manifests;
    const image = JSON.parse(await readFile(fileOf(manifest), 'utf8')) as { config: Descriptor; layers: Descriptor[] };
    const repository = `https://${host}/v2/${name}`;
    for (const blob of [image.config, ...image.layers]) {
      const upload = new URL(await send('POST', new URL(`${repository}/blobs/uploads/`)), repository);
      upload.searchParams.set('digest', blob.digest);
      await send('PUT', upload, fileOf(blob));
    }
    await send('PUT', new URL(`${repository}/manifests/${tag}`), fileOf(manifest), manifest.mediaType);
  } finally {
    await rm(dir, { recursive: true });
  }
}
