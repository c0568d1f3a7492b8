import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  type Descriptor,
  downloadBlob,
  type FetchedImage,
  fetchImage,
  parseDigest,
  type RegistryClient,
  tarStream,
  thisPlatform,
  unpackLayer,
  withRegistry,
} from '@seaplane/oci';
import { Fields } from '../fields.ts';
import type { ActionContext, ResourceAnswer, ResourceRequest } from '../request.ts';
import { clockOf } from './image-clock.ts';
import { type ImageSource, parseImageSource } from './image-source.ts';
import { mergeLayer } from './merge-layer.ts';
import { saveLayout } from './save-layout.ts';

export const GET_PARAMS = ['format', 'skip_download', 'username', 'password', 'platform'];

/** Fetches the image of a version's digest. */
export async function fetchRegistryImage(
  context: ActionContext,
  { source: rawSource, params: rawParams, version }: ResourceRequest,
  destination: string,
): Promise<ResourceAnswer> {
  const params = new Fields('params', rawParams);
  params.allow(GET_PARAMS);
  const source = parseImageSource(rawSource, params);
  const { tag = source.tag ?? 'latest', digest: text } = version ?? {};
  if (text === undefined) throw new Error('the version has no digest');
  const digest = parseDigest(text);
  const format = params.text('format') ?? 'rootfs';
  if (!['rootfs', 'oci', 'oci-layout'].includes(format)) {
    throw new Error(`params.format must be rootfs, oci or oci-layout, not ${format}`);
  }
  await mkdir(destination, { recursive: true });
  if (!params.flag('skip_download')) {
    const settings = { ...source.access, mirrors: source.mirrors };
    const deps = { clock: clockOf(context), settings, onFailure: context.log };
    await withRegistry(deps, source.repository, context.signal, async (client) => {
      context.log(`fetching ${client.repository.registry}/${client.repository.name}@${digest}`);
      await clear(destination);
      if (format === 'oci-layout') return saveLayout(context, client, digest, join(destination, 'oci'));
      const platform = { ...thisPlatform(), ...source.platform };
      const image = await fetchImage(client, digest, platform, context.signal);
      if (format === 'oci') await saveTarball(context, client, source, tag, image, destination);
      else await saveRootfs(context, client, image, destination);
      await writeFile(join(destination, 'labels.json'), JSON.stringify(image.config.config.Labels ?? {}));
    });
  }
  for (const [name, value] of Object.entries({ tag, digest, repository: source.name })) {
    await writeFile(join(destination, name), value);
  }
  const metadata = [
    { name: 'repository', value: source.name },
    { name: 'tag', value: tag },
  ];
  return { version: { tag, digest }, metadata };
}

/** What an attempt at a mirror has left. */
async function clear(destination: string): Promise<void> {
  for (const name of ['rootfs', 'metadata.json', 'image.tar', 'oci', 'labels.json']) {
    await rm(join(destination, name), { recursive: true, force: true });
  }
}

async function saveRootfs(
  context: ActionContext,
  client: RegistryClient,
  { manifest, config }: FetchedImage,
  destination: string,
): Promise<void> {
  const rootfs = join(destination, 'rootfs');
  await mkdir(rootfs);
  const { layers } = manifest.document;
  for (const [i, layer] of layers.entries()) {
    const into = await mkdtemp(join(destination, '.layer-')); // on the same filesystem as the tree
    try {
      context.log(progressLine(i, layers));
      const diffId = config.diffIds[i] ?? layer.digest;
      await unpackLayer(downloadBlob(client, layer, context.signal), diffId, into, context.signal);
      await mergeLayer(into, rootfs);
    } finally {
      await rm(into, { recursive: true, force: true });
    }
  }
  const { Env = [], User = '', Entrypoint = null, Cmd = null } = config.config;
  const metadata = { cmd: Cmd, entrypoint: Entrypoint, env: Env ?? [], user: User ?? '' };
  await writeFile(join(destination, 'metadata.json'), JSON.stringify(metadata));
}

/** `image.tar`, as `docker save` writes it. */
async function saveTarball(
  context: ActionContext,
  client: RegistryClient,
  source: ImageSource,
  tag: string,
  { manifest, configBytes }: FetchedImage,
  destination: string,
): Promise<void> {
  const dir = await mkdtemp(join(destination, '.image-'));
  try {
    const { config, layers } = manifest.document;
    await writeFile(join(dir, config.digest), configBytes);
    const names = layers.map(({ digest }) => `${digest.slice('sha256:'.length)}.tar.gz`);
    for (const [i, layer] of layers.entries()) {
      context.log(progressLine(i, layers));
      const bytes = Readable.from(downloadBlob(client, layer, context.signal), { objectMode: false });
      await pipeline(bytes, createWriteStream(join(dir, names[i] ?? '')));
    }
    const listing = [{ Config: config.digest, RepoTags: [`${source.name}:${tag}`], Layers: names }];
    await writeFile(join(dir, 'manifest.json'), JSON.stringify(listing));
    const members = [config.digest, ...new Set(names), 'manifest.json'];
    const tar = tarStream({ dir, ownership: 'root', members, signal: context.signal });
    await pipeline(tar, createWriteStream(join(destination, 'image.tar')));
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

function progressLine(i: number, layers: readonly Descriptor[]): string {
  return `layer ${i + 1} of ${layers.length}, ${((layers[i]?.size ?? 0) / 1e6).toFixed(1)} MB`;
}
