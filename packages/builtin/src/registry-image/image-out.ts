import { createReadStream, existsSync, globSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listTags, pushBlob, pushManifest, RegistryClient } from '@seaplane/oci';
import { Fields } from '../fields.ts';
import type { ActionContext, ResourceAnswer, ResourceRequest } from '../request.ts';
import { clockOf } from './image-clock.ts';
import { type ImageSource, parseImageSource } from './image-source.ts';
import { loadImage } from './load-image.ts';
import { compareSemver, formatSemver, parseSemver, type Semver } from './semver.ts';

const PUT_PARAMS = ['image', 'version', 'bump_aliases', 'additional_tags', 'username', 'password'];

/** Pushes an image of the build under one or more tags. */
export async function pushRegistryImage(
  context: ActionContext,
  { source: rawSource, params: rawParams }: ResourceRequest,
  sources: string,
): Promise<ResourceAnswer> {
  const params = new Fields('params', rawParams);
  params.allow(PUT_PARAMS);
  const source = parseImageSource(rawSource, params);
  const path = findImage(sources, params.need('image'));
  using client = new RegistryClient(clockOf(context), source.repository, source.access, 'pull,push');
  const tags = await tagsToPush(client, source, params, sources, context.signal);
  const [first] = tags;
  if (first === undefined) throw new Error('no tag: set source.tag or params.version');
  const scratch = await mkdtemp(join(context.env['TMPDIR'] ?? tmpdir(), 'image-'));
  try {
    const { blobs, manifests } = await loadImage(context, path, scratch);
    context.log(`pushing tag(s) ${tags.join(', ')}`);
    for (const { descriptor, path: file } of blobs) {
      const how = await pushBlob(client, descriptor, () => createReadStream(file), context.signal);
      context.log(`${descriptor.digest} ${how === 'sent' ? 'pushed' : 'is there already'}`);
    }
    const top = manifests.at(-1);
    if (!top) throw new Error('the image has no manifest');
    for (const manifest of manifests.slice(0, -1))
      await pushManifest(client, manifest.digest, manifest, context.signal);
    for (const tag of tags) await pushManifest(client, tag, top, context.signal);
    context.log('pushed');
    const metadata = [
      { name: 'repository', value: source.name },
      { name: 'tags', value: tags.join(' ') },
    ];
    return { version: { tag: first, digest: top.digest }, metadata };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

function findImage(sources: string, pattern: string): string {
  if (existsSync(join(sources, pattern))) return join(sources, pattern);
  const [found, ...more] = globSync(pattern, { cwd: sources });
  if (found === undefined) throw new Error(`no files match glob '${pattern}'`);
  if (more.length > 0) throw new Error(`too many files match glob '${pattern}'`);
  return join(sources, found);
}

/** The source's tag, the version's with its aliases, then those of a file. */
async function tagsToPush(
  client: RegistryClient,
  source: ImageSource,
  params: Fields,
  sources: string,
  signal: AbortSignal,
): Promise<string[]> {
  const tags = source.tag === undefined ? [] : [source.tag];
  const text = params.text('version');
  if (text !== undefined) {
    const version = parseSemver(text);
    if (!version) throw new Error(`invalid semantic version: ${JSON.stringify(text)}`);
    tags.push(withVariant(formatSemver(version), source));
    if (params.flag('bump_aliases') && version.prerelease === '') {
      const there = await listTags(client, signal).catch((error: { code?: string }) => {
        if (error.code === 'unknown-image') return []; // a new repository
        throw error;
      });
      tags.push(...aliasesOf(version, there, source));
    }
  }
  const file = params.text('additional_tags');
  if (file !== undefined) {
    const content = await readFile(join(sources, file), 'utf8');
    tags.push(...content.split(/\s+/).filter(Boolean));
  }
  return tags;
}

/** `latest`, `1` and `1.2`, as far as no greater version has them. */
export function aliasesOf(version: Semver, there: readonly string[], source: Pick<ImageSource, 'variant'>): string[] {
  const suffix = source.variant === undefined ? '' : `-${source.variant}`;
  const others = there
    .filter((tag) => tag.endsWith(suffix))
    .flatMap((tag) => parseSemver(tag.slice(0, tag.length - suffix.length)) ?? [])
    .filter(({ prerelease }) => prerelease === '');
  const [major, minor, patch] = version.numbers;
  const sameMajor = others.filter(({ numbers }) => numbers[0] === major);
  const sameMinor = sameMajor.filter(({ numbers }) => numbers[1] === minor);
  const isLatest = !others.some((other) => compareSemver(other, version) > 0);
  const isMinor = !sameMinor.some(({ numbers }) => numbers[2] > patch);
  const isMajor = isMinor && !sameMajor.some(({ numbers }) => numbers[1] > minor);
  return [
    ...(isLatest ? [source.variant ?? 'latest'] : []),
    ...(isMajor ? [withVariant(`${major}`, source)] : []),
    ...(isMinor ? [withVariant(`${major}.${minor}`, source)] : []),
  ];
}

function withVariant(tag: string, { variant }: Pick<ImageSource, 'variant'>): string {
  return variant === undefined ? tag : `${tag}-${variant}`;
}
