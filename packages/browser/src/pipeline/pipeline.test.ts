import type { JobSummaryAnswer } from '@seaplane/api/answers';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Graph, graphOf } from './graph.ts';
import { layoutGraph } from './layout.ts';

function job(name: string, ...inputs: NonNullable<JobSummaryAnswer['inputs']>): JobSummaryAnswer {
  return { id: 1, name, team_name: 't', pipeline_id: 1, pipeline_name: 'p', inputs };
}

test('[UI-GRAPH1] jobs are joined by what they pass on', () => {
  const graph = graphOf([
    job('unit', { name: 'repo', resource: 'repo', trigger: true }),
    job('ship', { name: 'repo', resource: 'repo', passed: ['unit'] }, { name: 'env', resource: 'env' }),
    job('late', { name: 'repo', resource: 'repo', passed: ['gone'] }),
    job(
      'both',
      { name: 'a', resource: 'a', passed: ['unit'], trigger: true },
      { name: 'b', resource: 'b', passed: ['unit'] },
    ),
  ]);
  expect(graph.edges).toEqual([
    { from: 'resource:repo', to: 'job:unit', triggers: true, resources: ['repo'] },
    { from: 'job:unit', to: 'job:ship', triggers: false, resources: ['repo'] },
    { from: 'resource:env', to: 'job:ship', triggers: false, resources: ['env'] },
    { from: 'resource:repo', to: 'job:late', triggers: false, resources: ['repo'] },
    { from: 'job:unit', to: 'job:both', triggers: true, resources: ['a', 'b'] },
  ]);
  expect(graph.nodes.map(({ id }) => id)).toEqual([
    'job:unit',
    'job:ship',
    'job:late',
    'job:both',
    'resource:repo',
    'resource:env',
  ]);
});

test('[UI-GRAPH4] an output that no job gets further is a node after each job that puts it', () => {
  const puts = (...resources: string[]) => ({ outputs: resources.map((resource) => ({ name: resource, resource })) });
  const graph = graphOf([
    { ...job('build', { name: 'repo', resource: 'repo', trigger: true }), ...puts('image', 'chat', 'image') },
    { ...job('ship', { name: 'in', resource: 'image', passed: ['build'] }), ...puts('chat', 'image') },
    job('free', { name: 'chat', resource: 'chat' }),
  ]);
  const ends = graph.edges.filter(({ to }) => to.startsWith('output:'));
  expect(ends.map(({ from, triggers, resources }) => ({ from, triggers, resources }))).toEqual([
    { from: 'job:build', triggers: true, resources: ['chat'] },
    { from: 'job:ship', triggers: true, resources: ['chat'] },
    { from: 'job:ship', triggers: true, resources: ['image'] },
  ]);
  const nodes = graph.nodes.filter(({ id }) => ends.some(({ to }) => to === id));
  expect(nodes).toMatchObject([
    { kind: 'resource', name: 'chat', putBy: 'build' },
    { kind: 'resource', name: 'chat', putBy: 'ship' },
    { kind: 'resource', name: 'image', putBy: 'ship' },
  ]);
  expect(graph.nodes.find(({ id }) => id === 'resource:chat')).toEqual({
    id: 'resource:chat',
    kind: 'resource',
    name: 'chat',
  });
});

const size = () => ({ width: 100, height: 40 });

/** Pipelines in which each job may have passed any jobs before it, and puts a few resources. */
const graphs: fc.Arbitrary<Graph> = fc.array(fc.array(fc.nat(30), { maxLength: 4 }), { maxLength: 30 }).map((all) =>
  graphOf(
    all.map((before, i) => {
      const passed = before.filter((other) => other < i).map((other) => `j${other}`);
      const outputs = before.map((other) => ({ name: 'o', resource: `r${other % 5}` }));
      return { ...job(`j${i}`, { name: 'r', resource: `r${i % 3}`, passed }), outputs };
    }),
  ),
);

test('[UI-GRAPH2] nodes stand after what comes before them, and none overlap', () => {
  fc.assert(
    fc.property(graphs, (graph) => {
      const { nodes, edges, width, height } = layoutGraph(graph, size);
      expect(nodes.size).toBe(graph.nodes.length);
      const placed = [...nodes.values()];
      for (const { x, y } of placed) {
        expect(x >= 0 && y >= -0.001 && x + 100 <= width + 0.001 && y + 40 <= height + 0.001).toBe(true);
      }
      for (const [i, a] of placed.entries()) {
        const clash = placed.slice(i + 1).find((b) => a.x === b.x && Math.abs(a.y - b.y) < 40);
        expect(clash).toBeUndefined();
      }
      for (const { edge, points } of edges) {
        expect(nodes.get(edge.from)?.x ?? 0).toBeLessThan(nodes.get(edge.to)?.x ?? 0);
        expect(points.map(([x]) => x)).toEqual(points.map(([x]) => x).toSorted((a, b) => a - b));
      }
      expect(layoutGraph(graph, size)).toEqual({ nodes, edges, width, height });
    }),
    { numRuns: 40 },
  );
});

test('[UI-GRAPH2] a circle, which no configuration has, is drawn all the same', () => {
  const graph = graphOf([
    job('a', { name: 'r', resource: 'r', passed: ['b'] }),
    job('b', { name: 'r', resource: 'r', passed: ['a'] }),
  ]);
  expect(layoutGraph(graph, size).nodes.size).toBe(2);
});
