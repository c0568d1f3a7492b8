export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Placed extends Size {
  readonly id: string;
  readonly x: number;
  readonly y: number;
}

interface Edge {
  readonly from: string;
  readonly to: string;
}

export interface PlacedEdge<E extends Edge = Edge> {
  readonly edge: E;
  /** The points that the line goes through, from left to right. */
  readonly points: readonly (readonly [x: number, y: number])[];
}

export interface Layout<E extends Edge> extends Size {
  readonly nodes: ReadonlyMap<string, Placed>;
  readonly edges: readonly PlacedEdge<E>[];
}

const COLUMN_GAP = 56;
const ROW_GAP = 14;
const SWEEPS = 8;

/** A place in a column: a node, or a point where a long edge passes. */
interface Cell {
  readonly id: string;
  readonly size: Size;
  readonly left: Cell[];
  readonly right: Cell[];
  y: number;
}

/**
 * Places a graph in columns from left to right. Nodes stand one column after the last node before them; a node without
 * one stands next to its first successor. Sweeps put each cell near its neighbours, which also uncrosses edges. Cycles,
 * which a configuration cannot have, are cut.
 */
export function layoutGraph<E extends Edge>(
  { nodes, edges }: { readonly nodes: readonly { readonly id: string }[]; readonly edges: readonly E[] },
  sizeOf: (id: string) => Size,
): Layout<E> {
  const ranks = ranksOf(
    nodes.map(({ id }) => id),
    edges,
  );
  const columns: Cell[][] = [];
  const add = (id: string, rank: number, size: Size): Cell => {
    while (columns.length <= rank) columns.push([]);
    const cell: Cell = { id, size, left: [], right: [], y: 0 };
    columns[rank]?.push(cell);
    return cell;
  };
  const cells = new Map(nodes.map(({ id }) => [id, add(id, ranks.get(id) ?? 0, sizeOf(id))]));
  const paths = edges.map((edge) => ({ edge, path: route(edge, ranks, cells, add) }));
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const order = sweep % 2 === 0 ? columns : columns.toReversed();
    for (const column of order) arrange(column, sweep % 2 === 0 ? 'left' : 'right', sweep > 0);
  }
  return place(columns, paths);
}

function ranksOf(ids: readonly string[], edges: readonly Edge[]): Map<string, number> {
  const before = Map.groupBy(edges, ({ to }) => to);
  const after = Map.groupBy(edges, ({ from }) => from);
  const ranks = new Map<string, number>();
  const rankOf = (id: string, path: ReadonlySet<string>): number => {
    const known = ranks.get(id);
    if (known !== undefined) return known;
    const earlier = (before.get(id) ?? []).filter(({ from }) => !path.has(from));
    const rank = Math.max(-1, ...earlier.map(({ from }) => rankOf(from, new Set([...path, from])))) + 1;
    ranks.set(id, rank);
    return rank;
  };
  for (const id of ids) rankOf(id, new Set([id]));
  for (const id of ids) {
    const next = (after.get(id) ?? []).map(({ to }) => ranks.get(to) ?? 0);
    if (!before.has(id) && next.length > 0) ranks.set(id, Math.max(0, Math.min(...next) - 1));
  }
  return ranks;
}

/** The cells of an edge: its ends, and a point in each column between them. */
function route(
  { from, to }: Edge,
  ranks: ReadonlyMap<string, number>,
  cells: ReadonlyMap<string, Cell>,
  add: (id: string, rank: number, size: Size) => Cell,
): readonly Cell[] {
  const [start, end] = [cells.get(from), cells.get(to)];
  if (!start || !end) return [];
  const path = [start];
  for (let rank = (ranks.get(from) ?? 0) + 1; rank < (ranks.get(to) ?? 0); rank += 1) {
    path.push(add(`${from} ${to} ${rank}`, rank, { width: 0, height: 8 }));
  }
  path.push(end);
  for (const [i, cell] of path.entries()) {
    const next = path[i + 1];
    if (!next) break;
    cell.right.push(next);
    next.left.push(cell);
  }
  return path;
}

/** Orders a column by the middle of each cell's neighbours, then gives every cell room. */
function arrange(column: Cell[], side: 'left' | 'right', isPlaced: boolean): void {
  const wish = new Map(
    column.map((cell, index) => {
      const neighbours = cell[side];
      const middle = neighbours.reduce((sum, each) => sum + centre(each), 0) / neighbours.length;
      return [cell, neighbours.length > 0 ? middle : isPlaced ? centre(cell) : index * 40];
    }),
  );
  column.sort((a, b) => (wish.get(a) ?? 0) - (wish.get(b) ?? 0));
  let lowest = Number.NEGATIVE_INFINITY;
  for (const cell of column) {
    cell.y = Math.max(lowest, (wish.get(cell) ?? 0) - cell.size.height / 2);
    lowest = cell.y + cell.size.height + ROW_GAP;
  }
  // Cells that had to make room were all pushed down: move the column up by the mean of that.
  const pushed = column.reduce((sum, cell) => sum + centre(cell) - (wish.get(cell) ?? 0), 0) / column.length;
  for (const cell of column) cell.y -= pushed;
}

function centre({ y, size }: Cell): number {
  return y + size.height / 2;
}

function place<E extends Edge>(
  columns: readonly (readonly Cell[])[],
  paths: readonly { readonly edge: E; readonly path: readonly Cell[] }[],
): Layout<E> {
  const top = Math.min(0, ...columns.flat().map(({ y }) => y));
  const x = new Map<Cell, readonly [left: number, right: number]>();
  const nodes = new Map<string, Placed>();
  let left = 0;
  for (const column of columns) {
    const width = Math.max(0, ...column.map(({ size }) => size.width));
    for (const cell of column) {
      cell.y -= top;
      x.set(cell, [left, left + (cell.size.width || width)]);
      if (cell.size.width > 0) nodes.set(cell.id, { id: cell.id, ...cell.size, x: left, y: cell.y });
    }
    left += width + COLUMN_GAP;
  }
  const edges = paths.map(({ edge, path }) => ({
    edge,
    points: path.flatMap((cell, i): (readonly [number, number])[] => {
      const [start, end] = x.get(cell) ?? [0, 0];
      const y = centre(cell);
      if (i === 0) return [[end, y]];
      if (i === path.length - 1) return [[start, y]];
      return [
        [start, y],
        [end, y],
      ];
    }),
  }));
  const height = Math.max(0, ...columns.flat().map(({ y, size }) => y + size.height));
  return { nodes, edges, width: Math.max(0, left - COLUMN_GAP), height };
}
