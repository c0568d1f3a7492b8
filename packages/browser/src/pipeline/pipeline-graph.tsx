import type { JobSummaryAnswer, ResourceAnswer } from '@seaplane/api/answers';
import type { ComponentChildren } from 'preact';
import { memo } from 'preact/compat';
import { useState } from 'preact/hooks';
import { markOf } from '../dashboard/job-preview.tsx';
import { iconPath } from '../parts/icon-path.ts';
import { type Mark, StatusMark, wordFor } from '../parts/status-mark.tsx';
import { buildPath, jobPath, type PipelineRef, resourcePath } from '../routes/routes.ts';
import type { Background } from './background.ts';
import type { ReachedJob } from './follow.ts';
import { GraphBox } from './graph-box.tsx';
import type { Placed } from './layout.ts';
import { type DrawnNode, useDrawing } from './use-drawing.ts';

const PADDING = 16;

interface PipelineGraphProps {
  readonly jobs: readonly JobSummaryAnswer[];
  readonly resources: readonly ResourceAnswer[];
  readonly of: PipelineRef;
  /** The picture behind the graph. */
  readonly background?: Background | undefined;
  /** The jobs that the followed version has reached, if one is followed. The others are faint. */
  readonly reached?: ReadonlyMap<string, ReachedJob> | undefined;
  /** The names of the jobs that a search found, if somebody searches. The others are faint. */
  readonly found?: ReadonlySet<string> | undefined;
  /** What stands over the graph, beside its zoom. */
  readonly tools: ComponentChildren;
}

/** The jobs of a pipeline as a graph. Each job leads to its newest build, or to that of the followed version. */
export function PipelineGraph({ jobs, resources, of, background, reached, found, tools }: PipelineGraphProps) {
  const [hovered, setHovered] = useState<string>();
  const drawing = useDrawing(jobs);
  const byName = new Map(jobs.map((job) => [job.name, job]));
  const resourceOf = new Map(resources.map((resource) => [resource.name, resource]));
  const nodeOf = ({ node, place }: DrawnNode) => {
    if (node.kind === 'resource') {
      const look = resourceNode(node.name, resourceOf.get(node.name), of);
      return <ResourceNode key={node.id} {...placeOf(place)} {...look} putBy={node.putBy} />;
    }
    const look = jobNode(byName.get(node.job.name) ?? node.job, of, reached);
    const classes = `${look.classes}${found ? (found.has(look.name) ? ' found' : ' not-found') : ''}`;
    return <JobNode key={node.id} id={node.id} {...placeOf(place)} {...look} classes={classes} onHover={setHovered} />;
  };
  return (
    <GraphBox
      title={`The jobs of ${of.pipeline}`}
      size={{ width: (drawing?.width ?? 0) + PADDING * 2, height: (drawing?.height ?? 0) + PADDING * 2 }}
      origin={-PADDING}
      isBusy={drawing === undefined}
      isSearched={found !== undefined}
      {...{ background, tools }}
    >
      <IconInk />
      <g>
        {drawing?.edges.map(({ edge, path }) => (
          <Line
            key={`${edge.from} ${edge.to}`}
            path={path}
            triggers={edge.triggers}
            resources={edge.resources.join(', ')}
            isNear={hovered === edge.from || hovered === edge.to}
          />
        ))}
      </g>
      {drawing?.nodes.map(nodeOf)}
    </GraphBox>
  );
}

function placeOf({ x, y, width, height }: Placed): Place {
  return { x, y, width, height };
}

interface LineProps {
  readonly path: string;
  readonly triggers: boolean;
  readonly resources: string;
  readonly isNear: boolean;
}

/** Parts of the graph are drawn again only if they look different: a large pipeline has thousands. */
const Line = memo(({ path, triggers, resources, isNear }: LineProps) => (
  <path d={path} class={`edge${triggers ? '' : ' edge-manual'}${isNear ? ' edge-near' : ''}`}>
    <title>
      {resources}
      {triggers ? '' : ' (does not trigger)'}
    </title>
  </path>
));

interface Place {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface ResourceLook {
  readonly name: string;
  readonly href: string;
  readonly isPinned: boolean;
  readonly isFailing: boolean;
  /** The address of its icon. */
  readonly icon: string | undefined;
}

function resourceNode(name: string, resource: ResourceAnswer | undefined, of: PipelineRef): ResourceLook {
  return {
    name,
    href: resourcePath(of, name),
    isPinned: resource?.pinned_version !== undefined,
    isFailing: resource?.build?.status === 'failed' || resource?.build?.status === 'errored',
    icon: iconPath(resource?.icon),
  };
}

interface ResourceNodeProps extends ResourceLook, Place {
  /** The job that puts it, if the node is an output. */
  readonly putBy: string | undefined;
}

const ResourceNode = memo((props: ResourceNodeProps) => {
  const { name, href, isPinned, isFailing, icon, putBy, x, y, width, height } = props;
  const [missing, setMissing] = useState<string>();
  const shown = icon !== missing && icon;
  const what = putBy === undefined ? `resource ${name}` : `resource ${name}, put by ${putBy}`;
  const words = [what, ...(isPinned ? ['pinned'] : []), ...(isFailing ? ['its check fails'] : [])];
  const classes = ['resource-node', ...(isPinned ? ['pinned'] : []), ...(isFailing ? ['failing'] : [])];
  return (
    <a href={href} class={classes.join(' ')} aria-label={words.join(', ')}>
      <title>{words.join(', ')}</title>
      <g transform={`translate(${x} ${y})`}>
        <rect width={width} height={height} rx="13" />
        {shown && (
          <image
            href={shown}
            x="10"
            y={height / 2 - 8}
            width="16"
            height="16"
            filter="url(#icon-ink)"
            onError={() => setMissing(shown)}
          />
        )}
        <text x={shown ? 30 : width / 2} y={height / 2}>
          {isFailing ? '! ' : ''}
          {name}
        </text>
      </g>
    </a>
  );
});

/** Draws an icon in the colour of text: a picture of another file has a colour of its own. */
function IconInk() {
  return (
    <filter id="icon-ink" class="icon-ink" color-interpolation-filters="sRGB" x="0" y="0" width="1" height="1">
      <feFlood />
      <feComposite in2="SourceAlpha" operator="in" />
    </filter>
  );
}

interface JobLook {
  readonly name: string;
  readonly href: string;
  readonly classes: string;
  readonly label: string;
  readonly mark: Mark;
}

function jobNode(
  job: JobSummaryAnswer,
  of: PipelineRef,
  reached: ReadonlyMap<string, ReachedJob> | undefined,
): JobLook {
  const own = reached?.get(job.name);
  const mark = reached ? (own?.status ?? 'none') : markOf(job);
  const newest = job.next_build ?? job.finished_build;
  const build = reached ? own?.build : newest?.name;
  const state = reached && !own ? 'not reached yet' : wordFor(mark);
  const status = reached ? (own?.status ?? 'none') : (job.finished_build?.status ?? 'none');
  return {
    name: job.name,
    href: build === undefined ? jobPath(of, job.name) : buildPath(of, job.name, build),
    classes: `job-node job-${status}${reached && !own ? ' not-reached' : ''}`,
    label: `${job.name}: ${state}${build === undefined ? '' : `, build ${build}`}`,
    mark,
  };
}

interface JobNodeProps extends JobLook, Place {
  readonly id: string;
  readonly onHover: (id: string | undefined) => void;
}

const JobNode = memo(({ id, name, href, classes, label, mark, x, y, width, height, onHover }: JobNodeProps) => (
  <a
    href={href}
    class={classes}
    aria-label={label}
    onMouseEnter={() => onHover(id)}
    onMouseLeave={() => onHover(undefined)}
  >
    <title>{label}</title>
    <g transform={`translate(${x} ${y})`}>
      <rect width={width} height={height} rx="7" />
      <rect class="edge-of-status" width="5" height={height} rx="2.5" />
      <g transform="translate(14 12)">
        <StatusMark mark={mark} />
      </g>
      <text x="38" y={height / 2}>
        {name}
      </text>
    </g>
  </a>
));
