import type { JobSummaryAnswer, PipelineAnswer } from '@seaplane/api/answers';
import { expect, test } from 'vitest';
import { keepUnchangedCards, keepUnchangedViews } from './keep-unchanged.ts';
import { type Card, cardsOf, viewPipelines } from './teams.ts';

const LISTS = {
  pipelines: ['a', 'b', 'c'].map((name, i) => ({ id: i + 1, name, team_name: 'main', paused: false, archived: false })),
  jobs: [1, 2, 3].map((id) => ({ id: id * 10, name: 'j', pipeline_id: id, inputs: [{ name: 'x', passed: ['i'] }] })),
};

/** The views of the lists, read from JSON as if they had come anew. */
function read(change: (lists: typeof LISTS) => void = () => {}) {
  const lists = JSON.parse(JSON.stringify(LISTS)) as typeof LISTS;
  change(lists);
  return viewPipelines({
    pipelines: lists.pipelines as unknown as PipelineAnswer[],
    jobs: lists.jobs as unknown as JobSummaryAnswer[],
    resources: [],
  });
}

test('[UI-DASH8] lists that say the same give the same views', () => {
  const before = read();
  expect(keepUnchangedViews(before, read()).map((view, i) => view === before[i])).toEqual([true, true, true]);
});

test.for<[what: string, change: (lists: typeof LISTS) => void]>([
  ['is paused', ({ pipelines: [, b] }) => Object.assign(b ?? {}, { paused: true })],
  ['has a build', ({ jobs: [, b] }) => Object.assign(b ?? {}, { next_build: { id: 7, status: 'started' } })],
  ['has another input', ({ jobs: [, b] }) => Object.assign(b?.inputs[0] ?? {}, { passed: ['i', 'k'] })],
])('[UI-DASH8] a pipeline that %s gets another view, the others keep theirs', ([, change]) => {
  const before = read();
  const after = keepUnchangedViews(before, read(change));
  expect(after.map((view, i) => view === before[i])).toEqual([true, false, true]);
  expect(after[1]).toEqual(read(change)[1]);
});

test('[UI-DASH8] a view is kept wherever the pipeline stands, and those of pipelines that are gone are not', () => {
  const before = read();
  const after = keepUnchangedViews(
    before,
    read(({ pipelines }) => pipelines.splice(0, 2, ...pipelines.slice(1, 2))),
  );
  expect(after.map((view) => before.indexOf(view))).toEqual([1, 2]);
});

test('[UI-DASH8] the card of a group changes with one of its instances', () => {
  const group = ({ pipelines }: typeof LISTS) => {
    for (const [i, pipeline] of pipelines.entries())
      if (i > 0) Object.assign(pipeline, { name: 'g', instance_vars: { i } });
  };
  const cards = (views: ReturnType<typeof read>): ReadonlyMap<string, Card> =>
    new Map(cardsOf(views, false).map((card, i) => [String(i), card]));
  const views = read(group);
  const before = cards(views);
  const same = keepUnchangedCards(before, cards(keepUnchangedViews(views, read(group))));
  expect([...same].map(([key, card]) => before.get(key) === card)).toEqual([true, true]);
  const changed = read((lists) => {
    group(lists);
    Object.assign(lists.pipelines[2] ?? {}, { paused: true });
  });
  const after = keepUnchangedCards(before, cards(keepUnchangedViews(views, changed)));
  expect([...after].map(([key, card]) => before.get(key) === card)).toEqual([true, false]);
});
