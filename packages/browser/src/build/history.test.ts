import type { BuildAnswer } from '@seaplane/api/answers';
import { expect, test } from 'vitest';
import { historyAround, withKnown } from './history.ts';

const builds = (...ids: readonly number[]) => ids.map((id) => ({ id, name: String(id) }) as BuildAnswer);
const ids = (list: readonly BuildAnswer[]) => list.map(({ id }) => id);
const newest = { items: builds(9, 8, 7), older: 'to=6&limit=100' };

function never(): Promise<never> {
  return Promise.reject(new Error('nothing else is asked for'));
}

test('[UI-HIST1] a build among the newest stands among them', async () => {
  const history = await historyAround(newest, { id: 8 }, never);
  expect({ ...history, builds: ids(history.builds) }).toEqual({
    builds: [9, 8, 7],
    older: 'to=6&limit=100',
    hasNewer: false,
  });
});

test('[UI-HIST1] the last build of a job that has no others needs nothing else', async () => {
  const history = await historyAround({ items: builds(9, 8) }, { id: 8 }, never);
  expect({ ...history, builds: ids(history.builds) }).toEqual({ builds: [9, 8], hasNewer: false });
});

test.for([3, 7])(
  '[UI-HIST1] build %i, which has neighbours outside of the newest, stands between its neighbours',
  async (id) => {
    const asked: string[] = [];
    const history = await historyAround(newest, { id }, async (range) => {
      asked.push(range);
      return range.startsWith('from')
        ? { items: builds(id + 1, id), newer: `from=${id + 2}&limit=50` }
        : { items: builds(id, id - 1), older: `to=${id - 2}&limit=50` };
    });
    expect(asked).toEqual([`from=${id}&limit=50`, `to=${id}&limit=50`]);
    expect({ ...history, builds: ids(history.builds) }).toEqual({
      builds: [id + 1, id, id - 1],
      older: `to=${id - 2}&limit=50`,
      hasNewer: true,
    });
  },
);

test('[UI-HIST1] a new build pushes none out that somebody has asked for, and a newer answer counts', () => {
  const [fresh] = [{ id: 5, name: '5', status: 'succeeded' } as BuildAnswer];
  const all = withKnown([...builds(6), fresh], builds(5, 4, 3));
  expect(ids(all)).toEqual([6, 5, 4, 3]);
  expect(all[1]).toBe(fresh);
});
