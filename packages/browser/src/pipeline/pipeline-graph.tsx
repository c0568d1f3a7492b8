import type { JobSummaryAnswer, ResourceAnswer } from '@seaplane/api/answers';
import { useMemo, useState } from 'preact/hooks';
import { markOf } from '../dashboard/job-preview.tsx';
import { StatusMark, wordFor } from '../parts/status-mark.tsx';
import { buildPath, jobPath, type PipelineRef, resourcePath } from '../routes/routes.ts';
import type { Background } from './background.ts';
import type { ReachedJob } from './follow.ts';
import { type GraphEdge, type GraphNode, graphOf } from './graph.ts';
import { layoutGraph, type Placed, type PlacedEdge } from './layout.ts';
import { linePath } from './line-path.ts';

const LETTER_PX = 7.4;
const PADDING = 16;

interface PipelineGraphProps {
  readonly jobs: readonly JobSummaryAnswer[];
  readonly resources: readonly ResourceAnswer[];
  readonly of: PipelineRef;
  /** The picture behind the graph. */
  readonly background?: Background | undefined;
  /** The jobs that the followed version has reached, if one is followed. The others are faint. */
  readonly reached?: ReadonlyMap<string, ReachedJob> | undefined;
}

/** The jobs of a pipeline as a graph. Each job leads to its newest build, or to that of the followed version. */
export function PipelineGraph({ jobs, resources, of, background, reached }: PipelineGraphProps) {
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
      {background && <div class="graph-background" style={{ ...background }} />}
      <svg width={width} height={height} viewBox={`${-PADDING} ${-PADDING} ${width} ${height}`}>
        <title>The jobs of {of.pipeline}</title>
        {layout.edges.map((placed) => (
          <Line key={`${placed.edge.from} ${placed.edge.to}`} placed={placed} hovered={hovered} />
        ))}
        {nodes.map((node) => {
          const place = layout.nodes.get(node.id);
          if (!place) return null;
          if (node.kind === 'resource') {
            const resource = resources.find(({ name }) => name === node.name);
            return <ResourceNode key={node.id} name={node.name} resource={resource} place={place} of={of} />;
          }
          return <JobNode key={node.id} {...{ node, place, of, reached }} onHover={setHovered} />;
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

function Line({ placed, hovered }: { placed: PlacedEdge<GraphEdge>; hovered: string | undefined }) {
  const { edge } = placed;
  const isNear = hovered === edge.from || hovered === edge.to;
  return (
    <path d={linePath(placed.points)} class={`edge${edge.triggers ? '' : ' edge-manual'}${isNear ? ' edge-near' : ''}`}>
      <title>
        {edge.resources.join(', ')}
        {edge.triggers ? '' : ' (does not trigger)'}
      </title>
    </path>
  );
}

interface ResourceNodeProps {
  readonly name: string;
  readonly resource: ResourceAnswer | undefined;
  readonly place: Placed;
  readonly of: PipelineRef;
}

function ResourceNode({ name, resource, place: { x, y, width, height }, of }: ResourceNodeProps) {
  const isPinned = resource?.pinned_version !== undefined;
  const isFailing = resource?.build?.status === 'failed' || resource?.build?.status === 'errored';
  const words = [`resource ${name}`, ...(isPinned ? ['pinned'] : []), ...(isFailing ? ['its check fails'] : [])];
  const classes = ['resource-node', ...(isPinned ? ['pinned'] : []), ...(isFailing ? ['failing'] : [])];
  return (
    <a href={resourcePath(of, name)} class={classes.join(' ')} aria-label={words.join(', ')}>
      <title>{words.join(', ')}</title>
      <g transform={`translate(${x} ${y})`}>
        <rect width={width} height={height} rx="13" />
        <text x={width / 2} y={height / 2}>
          {isFailing ? '! ' : ''}
          {name}
        </text>
      </g>
    </a>
  );
}

interface JobNodeProps {
  readonly node: Extract<GraphNode, { kind: 'job' }>;
  readonly place: Placed;
  readonly of: PipelineRef;
  readonly reached: ReadonlyMap<string, ReachedJob> | undefined;
  readonly onHover: (id: string | undefined) => void;
}

function JobNode({ node, place: { x, y, width, height }, of, reached, onHover }: JobNodeProps) {
  const { job } = node;
  const own = reached?.get(job.name);
  const mark = reached ? (own?.status ?? 'none') : markOf(job);
  const newest = job.next_build ?? job.finished_build;
  const build = reached ? own?.build : newest?.name;
  const href = build === undefined ? jobPath(of, job.name) : buildPath(of, job.name, build);
  const state = reached && !own ? 'not reached yet' : wordFor(mark);
  const status = reached ? (own?.status ?? 'none') : (job.finished_build?.status ?? 'none');
  return (
    <a
      href={href}
      class={`job-node job-${status}${reached && !own ? ' not-reached' : ''}`}
      aria-label={`${job.name}: ${state}${build === undefined ? '' : `, build ${build}`}`}
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
