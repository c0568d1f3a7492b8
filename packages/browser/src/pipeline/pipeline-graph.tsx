import type { JobSummaryAnswer } from '@seaplane/api/answers';
import { useMemo, useState } from 'preact/hooks';
import { markOf } from '../dashboard/job-preview.tsx';
import { StatusMark, wordFor } from '../parts/status-mark.tsx';
import { buildPath, jobPath, type PipelineRef, resourcePath } from '../routes/routes.ts';
import { type GraphNode, graphOf } from './graph.ts';
import { layoutGraph, type Placed, type PlacedEdge } from './layout.ts';

const LETTER_PX = 7.4;
const PADDING = 16;

/** The jobs of a pipeline as a graph. Each job leads to its newest build. */
export function PipelineGraph({ jobs, of }: { jobs: readonly JobSummaryAnswer[]; of: PipelineRef }) {
  const [hovered, setHovered] = useState<string>();
  const shape = JSON.stringify(jobs.map(({ name, inputs }) => [name, inputs]));
  // Places depend on names and inputs alone.
  const layout = useMemo(() => {
    const graph = graphOf(jobs);
    const byId = new Map(graph.nodes.map((node) => [node.id, node]));
    return layoutGraph(graph, (id) => sizeOf(byId.get(id)));
  }, [shape]);
  const nodes = graphOf(jobs).nodes;
  const [width, height] = [layout.width + PADDING * 2, layout.height + PADDING * 2];
  return (
    <div class="graph">
      <svg width={width} height={height} viewBox={`${-PADDING} ${-PADDING} ${width} ${height}`}>
        <title>The jobs of {of.pipeline}</title>
        {layout.edges.map((placed) => (
          <Line key={`${placed.edge.from} ${placed.edge.to}`} placed={placed} hovered={hovered} />
        ))}
        {nodes.map((node) => {
          const place = layout.nodes.get(node.id);
          return place && <Node key={node.id} node={node} place={place} of={of} onHover={setHovered} />;
        })}
      </svg>
    </div>
  );
}

function sizeOf(node: GraphNode | undefined) {
  if (!node) return { width: 0, height: 0 };
  if (node.kind === 'job') return { width: Math.max(90, node.job.name.length * LETTER_PX + 48), height: 40 };
  return { width: Math.max(60, node.name.length * LETTER_PX + 24), height: 26 };
}

function Line({ placed: { edge, points }, hovered }: { placed: PlacedEdge; hovered: string | undefined }) {
  const [start, ...rest] = points;
  if (!start) return null;
  let [x, y] = start;
  let path = `M${x} ${y}`;
  for (const [toX, toY] of rest) {
    const middle = (x + toX) / 2;
    path += ` C${middle} ${y} ${middle} ${toY} ${toX} ${toY}`;
    [x, y] = [toX, toY];
  }
  const isNear = hovered === edge.from || hovered === edge.to;
  return (
    <path d={path} class={`edge${edge.triggers ? '' : ' edge-manual'}${isNear ? ' edge-near' : ''}`}>
      <title>
        {edge.resources.join(', ')}
        {edge.triggers ? '' : ' (does not trigger)'}
      </title>
    </path>
  );
}

interface NodeProps {
  readonly node: GraphNode;
  readonly place: Placed;
  readonly of: PipelineRef;
  readonly onHover: (id: string | undefined) => void;
}

function Node({ node, place: { x, y, width, height }, of, onHover }: NodeProps) {
  if (node.kind === 'resource') {
    return (
      <a href={resourcePath(of, node.name)} class="resource-node" aria-label={`resource ${node.name}`}>
        <g transform={`translate(${x} ${y})`}>
          <rect width={width} height={height} rx="13" />
          <text x={width / 2} y={height / 2}>
            {node.name}
          </text>
        </g>
      </a>
    );
  }
  const { job } = node;
  const mark = markOf(job);
  const build = job.next_build ?? job.finished_build;
  const href = build ? buildPath(of, job.name, build.name) : jobPath(of, job.name);
  return (
    <a
      href={href}
      class={`job-node job-${job.finished_build?.status ?? 'none'}`}
      aria-label={`${job.name}: ${wordFor(mark)}${build ? `, build ${build.name}` : ''}`}
      onMouseEnter={() => onHover(node.id)}
      onMouseLeave={() => onHover(undefined)}
    >
      <g transform={`translate(${x} ${y})`}>
        <rect width={width} height={height} rx="7" />
        <rect class="edge-of-status" width="5" height={height} rx="2.5" />
        <g transform="translate(14 12)">
          <StatusMark mark={mark} />
        </g>
        <text x="38" y={height / 2}>
          {job.name}
        </text>
      </g>
    </a>
  );
}
