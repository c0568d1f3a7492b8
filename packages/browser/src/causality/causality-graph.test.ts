import type { CausalityAnswer } from '@seaplane/api/answers';
import { expect, test } from 'vitest';
import { causalityGraph } from './causality-graph.ts';

const DOWN: CausalityAnswer = {
  jobs: [
    { id: 1, name: 'build', build_ids: [10, 11] },
    { id: 2, name: 'deploy', build_ids: [12] },
  ],
  builds: [
    { id: 10, name: '1', job_id: 1, status: 'failed' },
    { id: 11, name: '2', job_id: 1, status: 'succeeded', resource_version_ids: [21] },
    { id: 12, name: '1', job_id: 2, status: 'started' },
  ],
  resources: [
    { id: 5, name: 'code', version_ids: [20] },
    { id: 6, name: 'image', version_ids: [21] },
  ],
  resource_versions: [
    { id: 20, resource_id: 5, version: { ref: 'a' }, build_ids: [10, 11] },
    { id: 21, resource_id: 6, version: { digest: 'b' }, build_ids: [12] },
  ],
};

test('[UI-CAUSE1] jobs have their builds and resources their versions, newest first', () => {
  const { nodes } = causalityGraph(DOWN, 'downstream');
  expect(nodes.map(({ name, items }) => [name, ...items.map(({ text }) => text)])).toEqual([
    ['build', '2', '1'],
    ['deploy', '1'],
    ['code', 'ref: a'],
    ['image', 'digest: b'],
  ]);
});

test('[UI-CAUSE2] lines lead from a cause to its effect, once', () => {
  const edges = [
    { from: 'resource 5', to: 'job 1' },
    { from: 'resource 6', to: 'job 2' },
    { from: 'job 1', to: 'resource 6' },
  ];
  expect(causalityGraph(DOWN, 'downstream').edges).toEqual(edges);
  const turned = edges.map(({ from, to }) => ({ from: to, to: from }));
  expect(causalityGraph(DOWN, 'upstream').edges).toEqual(turned);
});
