import type { JobSummaryAnswer } from '@seaplane/api/answers';
import { useLayoutEffect, useState } from 'preact/hooks';
import { yieldToPage } from '../parts/yield-to-page.ts';
import { type GraphEdge, type GraphNode, graphOf } from './graph.ts';
import { layoutGraph, type Placed, type Size } from './layout.ts';
import { linePath } from './line-path.ts';

export interface DrawnNode {
  readonly node: GraphNode;
  readonly place: Placed;
}

export interface DrawnEdge {
  readonly edge: GraphEdge;
  readonly path: string;
  /** Where it begins. */
  readonly x: number;
}

/** As much of a graph as is drawn so far, from left to right. */
export interface Drawing extends Size {
  readonly nodes: readonly DrawnNode[];
  readonly edges: readonly DrawnEdge[];
}

const LETTER_PX = 7.4;
/** So many nodes are drawn in one task, with the lines that begin among them. More take too long at once. */
const NODES_AT_ONCE = 50;

/**
 * The places of jobs, which depend on names, inputs and outputs alone. A large pipeline is placed in a task of its own and drawn
 * piece by piece, so that the page answers its user meanwhile. Undefined until the places of the first jobs are known.
 */
export function useDrawing(jobs: readonly JobSummaryAnswer[]): Drawing | undefined {
  const shape = JSON.stringify(jobs.map(({ name, inputs, outputs }) => [name, inputs, outputs]));
  const [drawing, setDrawing] = useState<Drawing>();
  useLayoutEffect(() => {
    if (jobs.length <= NODES_AT_ONCE) {
      setDrawing(drawingOf(jobs));
      return undefined;
    }
    let isOver = false;
    void drawPieces(jobs, setDrawing, () => isOver);
    return () => {
      isOver = true;
    };
  }, [shape]);
  return drawing;
}

async function drawPieces(
  jobs: readonly JobSummaryAnswer[],
  onPiece: (drawing: Drawing) => void,
  isOver: () => boolean,
): Promise<void> {
  await yieldToPage();
  const whole = drawingOf(jobs);
  for (let end = NODES_AT_ONCE; ; end += NODES_AT_ONCE) {
    await yieldToPage();
    if (isOver()) return;
    const next = whole.nodes[end];
    if (!next) break;
    onPiece({
      ...whole,
      nodes: whole.nodes.slice(0, end),
      edges: whole.edges.filter(({ x }) => x < next.place.x),
    });
  }
  onPiece(whole);
}

function drawingOf(jobs: readonly JobSummaryAnswer[]): Drawing {
  const graph = graphOf(jobs);
  const byId = new Map(graph.nodes.map((node) => [node.id, node]));
  const { nodes, edges, width, height } = layoutGraph(graph, (id) => sizeOf(byId.get(id)));
  const placed = graph.nodes.flatMap((node): DrawnNode[] => {
    const place = nodes.get(node.id);
    return place ? [{ node, place }] : [];
  });
  return {
    width,
    height,
    nodes: placed.toSorted((a, b) => a.place.x - b.place.x || a.place.y - b.place.y),
    edges: edges
      .map(({ edge, points }) => ({ edge, path: linePath(points), x: points[0]?.[0] ?? 0 }))
      .toSorted((a, b) => a.x - b.x),
  };
}

function sizeOf(node: GraphNode | undefined): Size {
  if (!node) return { width: 0, height: 0 };
  if (node.kind === 'job') return { width: Math.max(90, node.job.name.length * LETTER_PX + 48), height: 40 };
  // With room for an icon and a mark.
  return { width: Math.max(60, node.name.length * LETTER_PX + 48), height: 26 };
}
