import type { PipelineView } from './pipeline-status.ts';
import type { Card } from './teams.ts';

/** The new views, with the old object for each pipeline that looks as before: its card need not be drawn again. */
export function keepUnchangedViews(
  before: readonly PipelineView[],
  views: readonly PipelineView[],
): readonly PipelineView[] {
  const known = new Map(before.map((view) => [view.pipeline.id, view]));
  return views.map((view) => {
    const old = known.get(view.pipeline.id);
    return old && isSame(old, view) ? old : view;
  });
}

/** The new cards, with the old object for each card of the same views. */
export function keepUnchangedCards(
  before: ReadonlyMap<string, Card>,
  cards: ReadonlyMap<string, Card>,
): ReadonlyMap<string, Card> {
  return new Map(
    [...cards].map(([key, card]) => {
      const old = before.get(key);
      return [key, old && haveSameViews(old, card) ? old : card];
    }),
  );
}

function haveSameViews(a: Card, b: Card): boolean {
  if (a.kind === 'pipeline') return b.kind === 'pipeline' && a.view === b.view;
  return b.kind === 'group' && a.views.length === b.views.length && a.views.every((view, i) => view === b.views[i]);
}

/** Whether two values from JSON are equal. */
function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => key in b && isSame(a[key as never], b[key as never]));
}
