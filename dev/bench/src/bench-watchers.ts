import { appendEvents, createOneOffBuild, EventFeeds, ensureMainTeam, Notifications } from '@seaplane/db';
import { type AloneOptions, inTurns, time, withBenchDatabase } from './bench-database.ts';
import { median } from './median.ts';
import { table } from './table.ts';

const WATCHERS = 1_000;
const APPENDS = 10;
const LINES = 10;

/**
 * How long it takes until 1,000 watchers of one build have an append, each append written when all have the one before.
 * Beside it, in turn, watchers that each read for themselves.
 */
export function benchWatchers(options: AloneOptions): Promise<string> {
  return withBenchDatabase(options.signal, async ({ backgroundPool: pool }) => {
    await using notifications = await Notifications.open(pool);
    const { id: teamId } = await ensureMainTeam(pool, {});
    const open = () => new EventFeeds({ pool, notifications });

    const watched = async (feedsOf: () => EventFeeds) => {
      const { id } = await createOneOffBuild(pool, { teamId }, { plan: { id: '1', do: [] }, publicPlan: {} });
      const left = new AbortController();
      const watchers = Array.from({ length: WATCHERS }, () => feedsOf().watch(id, 0, left.signal));
      /** Resolves when every watcher has the event with this number. */
      const upTo = (last: number) =>
        Promise.all(
          watchers.map(async (watcher) => {
            for (let seen = -1; seen < last; ) {
              const { value } = await watcher.next();
              seen = value?.at(-1)?.id ?? last;
            }
          }),
        );
      await upTo(0);
      const elapsed = await time(async () => {
        for (let append = 1; append <= APPENDS; append++) {
          await appendEvents(pool, id, lines());
          await upTo(append * LINES);
        }
      });
      left.abort();
      await Promise.allSettled(watchers.map((watcher) => watcher.return()));
      return elapsed / APPENDS;
    };
    const shared = open();
    const times = await inTurns(options, { plain: () => watched(open), shared: () => watched(() => shared) });
    const [plain, together] = [median(times.plain), median(times.shared)];
    return table([
      [`an append reaches ${WATCHERS} watchers`, 'milliseconds', 'ratio'],
      ['each reads for itself', plain.toFixed(1), '1.0'],
      ['as web does: one read for all', together.toFixed(1), (plain / together).toFixed(1)],
    ]);
  });
}

function lines() {
  const event = { event: 'log', data: { time: 1, origin: { id: '1' }, payload: `${'x'.repeat(79)}\n` } } as const;
  return Array.from({ length: LINES }, () => event);
}
