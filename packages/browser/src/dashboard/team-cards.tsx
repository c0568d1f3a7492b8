import { useMemo, useRef, useState } from 'preact/hooks';
import { useSession } from '../session/session.ts';
import { CardSlot, type Moves } from './card-slot.tsx';
import { GroupCard } from './group-card.tsx';
import { keepUnchangedCards } from './keep-unchanged.ts';
import { moveBefore, moveBy, orderInstances, orderWhole } from './ordering.ts';
import { type CardActions, PipelineCard } from './pipeline-card.tsx';
import type { PipelineView } from './pipeline-status.ts';
import { type Card, cardsOf } from './teams.ts';
import { useOrder } from './use-order.ts';

interface TeamCardsProps {
  readonly title: string;
  readonly name: string;
  /** The user's own role in it. */
  readonly memberRole?: string | undefined;
  readonly views: readonly PipelineView[];
  /** All pipelines of the team, those that are not shown included. Undefined where cards are not ordered. */
  readonly whole?: readonly PipelineView[];
  readonly actions: CardActions;
  readonly dense: boolean;
  readonly isApart: boolean;
  /** So many cards are drawn now. The others follow. */
  readonly most: number;
}

/** The cards of a team in their order, which members change. */
export function TeamCards({ title, name, memberRole, views, whole, actions, dense, isApart, most }: TeamCardsProps) {
  const session = useSession();
  const [said, setSaid] = useState('');
  const shown = useRef<ReadonlyMap<string, Card>>(new Map());
  shown.current = keepUnchangedCards(
    shown.current,
    new Map(cardsOf(views, isApart).map((card) => [keyOf(card), card])),
  );
  const byKey = shown.current;
  const known = [...byKey.keys()];
  const { keys, change } = useOrder({
    known,
    lists: whole,
    save: saveOrder,
    onSaved: (next, moved) =>
      setSaid(`${nameOf(byKey.get(moved))} is now ${next.indexOf(moved) + 1} of ${next.length}`),
    onProblem: actions.onProblem,
    onChange: actions.onChange,
  });

  function saveOrder(next: readonly string[]): Promise<void> {
    const ordered = next.flatMap((key) => byKey.get(key) ?? []);
    const all = (whole ?? []).map(({ pipeline }) => pipeline);
    const [first] = views;
    if (isApart && first) {
      const at = { team: name, pipeline: first.pipeline.name };
      const shown = ordered.flatMap((card) => (card.kind === 'pipeline' ? [card.view.pipeline] : []));
      const body = [...orderInstances(all, shown)];
      return session.client.put('PUT /api/v1/teams/:team/pipelines/:pipeline/ordering', { at, body });
    }
    const names = [...new Set(all.map((pipeline) => pipeline.name))];
    const body = [...orderWhole(names, ordered.map(nameOf))];
    return session.client.put('PUT /api/v1/teams/:team/pipelines/ordering', { at: { team: name }, body });
  }

  const move = (next: readonly string[], moved: string) => {
    if (next !== keys) change(next, moved);
  };
  // Instances are ordered among themselves.
  const isOneGroup = new Set(views.map(({ pipeline }) => pipeline.name)).size === 1;
  const canMove = whole !== undefined && known.length > 1 && (!isApart || isOneGroup);
  const current = useRef({ keys, move });
  current.current = { keys, move };
  const reason = session.whyNot(name, 'member');
  // The same object as long as it means the same: otherwise all cards would be drawn again.
  const moves = useMemo<Moves | undefined>(
    () =>
      canMove
        ? {
            reason,
            moveBy: (key, places) => current.current.move(moveBy(current.current.keys, key, places), key),
            moveBefore: (key, target) => current.current.move(moveBefore(current.current.keys, key, target), key),
          }
        : undefined,
    [canMove, reason],
  );
  return (
    <section class="dashboard-team-group" data-team-name={name}>
      <h2>
        {title} {memberRole && <span class="tag">{memberRole}</span>} <span class="soft">{views.length}</span>
      </h2>
      <p class="for-readers" aria-live="polite">
        {said}
      </p>
      <ul class={dense ? 'rows' : 'cards'}>
        {keys.slice(0, most).map((key, at) => {
          const card = byKey.get(key);
          return card && <Place key={key} id={key} {...{ at, card, actions, dense, moves }} />;
        })}
      </ul>
    </section>
  );
}

interface PlaceProps {
  readonly id: string;
  /** Its number among the cards. A card that is moved is drawn again, and takes the focus back. */
  readonly at: number;
  readonly card: Card;
  readonly actions: CardActions;
  readonly dense: boolean;
  readonly moves: Moves | undefined;
}

/** A card in its place. It is drawn again only if one of these has changed, because there may be thousands. */
function Place({ id, at, card, actions, dense, moves }: PlaceProps) {
  return useMemo(
    () => (
      <CardSlot id={id} name={nameOf(card)} moves={moves}>
        {card.kind === 'pipeline' ? (
          <PipelineCard view={card.view} actions={actions} isRow={dense} />
        ) : (
          <GroupCard {...card} favourites={actions.favourites} isRow={dense} />
        )}
      </CardSlot>
    ),
    [id, at, card, actions, dense, moves],
  );
}

function keyOf(card: Card): string {
  return card.kind === 'pipeline' ? `pipeline ${card.view.pipeline.id}` : `group ${card.name}`;
}

function nameOf(card: Card | undefined): string {
  if (!card) return '';
  return card.kind === 'pipeline' ? card.view.pipeline.name : card.name;
}
