import type { VersionAnswer } from '@seaplane/api/answers';
import type { MetadataField, Version } from '@seaplane/config/values';

/** Whether a pin names this version. A pin of the configuration may hold a part of the version. */
export function isPinned(version: Version, pin: Version | undefined): boolean {
  return pin !== undefined && Object.entries(pin).every(([key, value]) => version[key] === value);
}

/** A version for a person: `ref: abc123`, its fields in the order of their names. */
export function versionText(version: Version): string {
  return sortedFields(version)
    .map(([key, value]) => `${key}: ${value}`)
    .join(', ');
}

/** The query that leads to one version: Concourse's `filter=ref:abc123`. */
export function filterQuery(version: Version): string {
  return new URLSearchParams(sortedFields(version).map(([key, value]) => ['filter', `${key}:${value}`])).toString();
}

function sortedFields(version: Version): [string, string][] {
  return Object.entries(version).toSorted(([a], [b]) => (a < b ? -1 : 1));
}

/** The metadata that says most about a version: the first line of its message, and its author. */
export function summaryOf(metadata: readonly MetadataField[] = []): {
  readonly message?: string;
  readonly by?: string;
} {
  const find = (...names: readonly string[]) =>
    metadata.find(({ name, value }) => names.includes(name.toLowerCase()) && value !== '')?.value;
  const [message] = find('message', 'title', 'name')?.split('\n') ?? [];
  const by = find('author', 'committer', 'user');
  return { ...(message !== undefined && { message }), ...(by !== undefined && { by }) };
}

/** The comment that a new pin gets. */
export function pinComment(user: string, now: Date): string {
  return `pinned by ${user} on ${now.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** Metadata under the version's own fields, which it may repeat. */
export function shownFields({ version, metadata = [] }: VersionAnswer): readonly MetadataField[] {
  const own = sortedFields(version).map(([name, value]) => ({ name, value }));
  return [...own, ...metadata.filter(({ name }) => version[name] === undefined)];
}
