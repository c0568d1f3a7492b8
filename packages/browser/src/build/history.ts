import type { BuildAnswer } from '@seaplane/api/answers';
import type { ListPage } from '../api/client.ts';

/** Builds of a job, newest first. */
export interface History {
  readonly builds: readonly BuildAnswer[];
  /** The range of the builds after the last of these. Undefined if there are none. */
  readonly older?: string;
  /** Whether the job has newer builds than these. */
  readonly hasNewer: boolean;
}

type Page = ListPage<readonly BuildAnswer[]>;

/** On each side of a build that is not among the newest. */
const AROUND = 50;

/**
 * The builds to show beside a build: the newest, or those around the build if it is not among them. The last of the newest
 * has older neighbours, so it counts as one that is not.
 */
export async function historyAround(
  newest: Page,
  { id }: Pick<BuildAnswer, 'id'>,
  ask: (range: string) => Promise<Page>,
): Promise<History> {
  const at = newest.items.findIndex((build) => build.id === id);
  const isInside = at >= 0 && at < newest.items.length - 1;
  if (isInside || newest.older === undefined) return historyOf(newest.items, newest.older, false);
  const [after, before] = await Promise.all([ask(`from=${id}&limit=${AROUND}`), ask(`to=${id}&limit=${AROUND}`)]);
  return historyOf(withoutTwins([...after.items, ...before.items]), before.older, after.newer !== undefined);
}

/** The builds that the page knows beside those that it has just got: somebody has asked for them, so none goes away. */
export function withKnown(builds: readonly BuildAnswer[], known: readonly BuildAnswer[]): readonly BuildAnswer[] {
  return withoutTwins([...builds, ...known]);
}

function historyOf(builds: readonly BuildAnswer[], older: string | undefined, hasNewer: boolean): History {
  return { builds, hasNewer, ...(older !== undefined && { older }) };
}

/** The first of each build stays. */
function withoutTwins(builds: readonly BuildAnswer[]): readonly BuildAnswer[] {
  const seen = new Set<number>();
  return builds.filter(({ id }) => !seen.has(id) && seen.add(id));
}
