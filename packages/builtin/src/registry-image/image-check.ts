import { fetchImage, listTags, type RegistryClient, resolveDigest, thisPlatform, withRegistry } from '@seaplane/oci';
import { Fields } from '../fields.ts';
import type { ActionContext, Version } from '../request.ts';
import { clockOf } from './image-clock.ts';
import { type ImageSource, parseImageSource } from './image-source.ts';
import { compareSemver, parseSemver, type Semver } from './semver.ts';
import { parseConstraint } from './semver-constraint.ts';

/** Digests of one tag, or the version numbers among all tags. */
export async function checkImage(
  context: ActionContext,
  rawSource: Readonly<Record<string, unknown>>,
  version: Version | undefined,
): Promise<Version[]> {
  const source = parseImageSource(rawSource, new Fields('params', {}));
  const { log, signal } = context;
  const settings = { ...source.access, mirrors: source.mirrors };
  return withRegistry({ clock: clockOf(context), settings, onFailure: log }, source.repository, signal, (client) => {
    if (source.tag !== undefined) return checkTag(client, source.tag, version, signal);
    if (source.tagRegex !== undefined) return checkRegex(client, source, new RegExp(source.tagRegex), signal);
    return checkSemver(client, source, version, signal);
  });
}

async function checkTag(
  client: RegistryClient,
  tag: string,
  version: Version | undefined,
  signal: AbortSignal,
): Promise<Version[]> {
  const digest = await resolveDigest(client, tag, signal);
  if (digest === undefined) return [];
  const old = version?.['digest'];
  const isOldThere = old !== undefined && old !== digest && (await resolveDigest(client, old, signal)) !== undefined;
  return [...(isOldThere ? [{ tag, digest: old }] : []), { tag, digest }];
}

async function checkRegex(
  client: RegistryClient,
  { createdAtSort }: ImageSource,
  regex: RegExp,
  signal: AbortSignal,
): Promise<Version[]> {
  const found: { tag: string; digest: string; created: string }[] = [];
  for (const tag of (await listTags(client, signal)).filter((name) => regex.test(name))) {
    const digest = await resolveDigest(client, tag, signal);
    if (digest === undefined) continue;
    const image = createdAtSort ? await fetchImage(client, digest, thisPlatform(), signal) : undefined;
    found.push({ tag, digest, created: image?.config.created ?? '' });
  }
  if (createdAtSort) found.sort((a, b) => Date.parse(a.created || '0') - Date.parse(b.created || '0'));
  return found.map(({ tag, digest }) => ({ tag, digest }));
}

/** One version a digest, by its most exact tag. With a version only those after it, and that one. */
async function checkSemver(
  client: RegistryClient,
  source: ImageSource,
  from: Version | undefined,
  signal: AbortSignal,
): Promise<Version[]> {
  const bare = source.variant ?? 'latest';
  const tags = await listTags(client, signal);
  const candidates = tags.flatMap((tag) => candidateOf(tag, source) ?? []);
  const cursor = candidates.find(({ tag }) => tag === from?.['tag']);
  const isSame = cursor && (await resolveDigest(client, cursor.tag, signal)) === from?.['digest'];
  const byDigest = new Map<string, Candidate>();
  for (const candidate of candidates) {
    const isOld = isSame && candidate !== cursor && compareSemver(candidate.version, cursor.version) <= 0;
    const digest = isOld ? undefined : await resolveDigest(client, candidate.tag, signal);
    if (digest === undefined) continue;
    const known = byDigest.get(digest);
    if (!known || isBetter(candidate.version, known.version)) byDigest.set(digest, candidate);
  }
  const versions = [...byDigest]
    .sort(([, a], [, b]) => compareSemver(a.version, b.version))
    .map(([digest, { tag }]) => ({ tag, digest }));
  const latest = tags.includes(bare) ? await resolveDigest(client, bare, signal) : undefined;
  const isNumbered = latest !== undefined && byDigest.has(latest);
  const showsLatest = latest !== undefined && !isNumbered && source.semverConstraint === undefined;
  return [...versions, ...(showsLatest ? [{ tag: bare, digest: latest }] : [])];
}

interface Candidate {
  readonly tag: string;
  readonly version: Semver;
}

/** `1.2.3-stretch` may be a prerelease or a variant: only alpha, beta and rc begin a prerelease. */
function candidateOf(tag: string, { variant, preReleases, semverConstraint }: ImageSource): Candidate | undefined {
  const suffix = variant === undefined ? '' : `-${variant}`;
  if (!tag.endsWith(suffix)) return undefined;
  const version = parseSemver(tag.slice(0, tag.length - suffix.length));
  if (!version) return undefined;
  if (version.prerelease !== '') {
    if (!preReleases || version.prerelease.includes('-') || !/^(alpha|beta|rc)/.test(version.prerelease))
      return undefined;
  }
  if (semverConstraint !== undefined && !parseConstraint(semverConstraint)(version)) return undefined;
  return { tag, version };
}

/** A final version before a prerelease, then the more exact one: 3.2.1 before 3.2. */
function isBetter(version: Semver, known: Semver): boolean {
  const isFinal = ({ prerelease }: Semver) => prerelease === '';
  if (isFinal(version) !== isFinal(known)) return isFinal(version);
  return version.original.split('.').length > known.original.split('.').length;
}
