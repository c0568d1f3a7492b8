import { useMemo } from 'preact/hooks';
import { StatusMark, wordFor } from '../parts/status-mark.tsx';
import { layoutGraph } from '../pipeline/layout.ts';
import { linePath } from '../pipeline/line-path.ts';
import { buildPath, causalityPath, jobPath, type PipelineRef, resourcePath } from '../routes/routes.ts';
import type { CausalityGraph, CausalityItem, CausalityNode } from './causality-graph.ts';

const [LINE, LETTER, PADDING, MOST_LINES, MOST_LETTERS] = [22, 7.2, 16, 8, 44];

/** The graph as a picture: boxes with links, joined by lines. */
export function CausalityView({ graph, of }: { graph: CausalityGraph; of: PipelineRef }) {
  const layout = useMemo(() => {
    const byId = new Map(graph.nodes.map((node) => [node.id, node]));
    return layoutGraph(graph, (id) => sizeOf(byId.get(id)));
  }, [graph]);
  const [width, height] = [layout.width + PADDING * 2, layout.height + PADDING * 2];
  return (
    <section class="graph" aria-label="Graph">
      <svg width={width} height={height} viewBox={`${-PADDING} ${-PADDING} ${width} ${height}`}>
        <title>Builds and versions</title>
        {layout.edges.map(({ edge, points }) => (
          <path key={`${edge.from} ${edge.to}`} class="edge" d={linePath(points)} />
        ))}
        {graph.nodes.map((node) => {
          const place = layout.nodes.get(node.id);
          return (
            place && (
              <g key={node.id} class={`cause-node cause-${node.kind}`} transform={`translate(${place.x} ${place.y})`}>
                <rect width={place.width} height={place.height} rx="7" />
                <Lines node={node} of={of} />
              </g>
            )
          );
        })}
      </svg>
    </section>
  );
}

function Lines({ node, of }: { node: CausalityNode; of: PipelineRef }) {
  const shown = node.items.slice(0, MOST_LINES);
  const rest = node.items.length - shown.length;
  return (
    <>
      <a href={node.kind === 'job' ? jobPath(of, node.name) : resourcePath(of, node.name)}>
        <text class="cause-name" x="12" y={LINE / 2 + 4}>
          {node.name}
        </text>
      </a>
      {shown.map((item, i) => (
        <Item key={item.id} node={node} item={item} of={of} y={LINE * (i + 1) + 4} />
      ))}
      {rest > 0 && (
        <text x="12" y={LINE * (shown.length + 1) + LINE / 2 + 4}>
          and {rest} more
        </text>
      )}
    </>
  );
}

function Item({ node, item, of, y }: { node: CausalityNode; item: CausalityItem; of: PipelineRef; y: number }) {
  if (item.status === undefined) {
    return (
      <a href={causalityPath(of, node.name, item.id, 'downstream')}>
        <text class="cause-version" x="12" y={y + LINE / 2}>
          <title>{item.text}</title>
          {short(item.text)}
        </text>
      </a>
    );
  }
  return (
    <a href={buildPath(of, node.name, item.text)} aria-label={`${node.name} #${item.text}: ${wordFor(item.status)}`}>
      <g transform={`translate(12 ${y + 3})`}>
        <StatusMark mark={item.status} />
      </g>
      <text x="34" y={y + LINE / 2}>
        #{item.text}
      </text>
    </a>
  );
}

function sizeOf(node: CausalityNode | undefined) {
  if (!node) return { width: 0, height: 0 };
  const shown = node.items.slice(0, MOST_LINES);
  const lines = 1 + shown.length + (node.items.length > shown.length ? 1 : 0);
  const letters = Math.max(node.name.length + 1, ...shown.map(({ text }) => Math.min(MOST_LETTERS, text.length) + 3));
  return { width: Math.max(90, letters * LETTER + 24), height: lines * LINE + 10 };
}

function short(text: string): string {
  return text.length > MOST_LETTERS ? `${text.slice(0, MOST_LETTERS - 1)}…` : text;
}
