import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { ActionButton } from '../parts/action-button.tsx';
import { Icon } from '../parts/icons.tsx';

/** Nothing else that can be dropped on a page has this type. */
const TYPE = 'application/x-seaplane-card';

export interface Moves {
  /** Why the user may not order the cards. */
  readonly reason: string | undefined;
  readonly moveBy: (key: string, places: number) => void;
  readonly moveBefore: (key: string, target: string) => void;
}

interface CardSlotProps {
  readonly id: string;
  readonly name: string;
  readonly moves: Moves | undefined;
  readonly children: ComponentChildren;
}

const PLACES: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };

/** The place of a card among others. The card is moved by dragging it, or by arrow keys on its handle. */
export function CardSlot({ id, name, moves, children }: CardSlotProps) {
  const [isOver, setOver] = useState(false);
  /** The handle, while somebody moves the card by keys. */
  const held = useRef<HTMLElement>(undefined);
  useLayoutEffect(() => {
    // A card that was put elsewhere in the page has lost the focus.
    if (document.activeElement === document.body) held.current?.focus();
  });
  if (!moves) return <li class="card-wrapper">{children}</li>;
  const mayMove = moves.reason === undefined;
  return (
    <li
      class={isOver ? 'card-wrapper drop-here' : 'card-wrapper'}
      draggable={mayMove}
      onDragStart={({ dataTransfer, currentTarget }) => {
        dataTransfer?.clearData();
        dataTransfer?.setData(TYPE, id);
        dataTransfer?.setDragImage(currentTarget, 20, 20);
      }}
      onDragOver={(event) => {
        if (!mayMove || !event.dataTransfer?.types.includes(TYPE)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        const moved = event.dataTransfer?.getData(TYPE);
        if (moved) moves.moveBefore(moved, id);
      }}
    >
      {children}
      <ActionButton
        class="quiet grip"
        label={`Move ${name}`}
        about="Arrow keys move it"
        title="Drag, or press arrow keys, to move"
        reason={moves.reason}
        onClick={() => {}}
        onKeyDown={(event) => {
          const places = PLACES[event.key];
          if (places === undefined || !mayMove) return;
          event.preventDefault();
          held.current = event.currentTarget;
          moves.moveBy(id, places);
        }}
        onBlur={({ relatedTarget }) => {
          if (relatedTarget) held.current = undefined;
        }}
      >
        <Icon name="move" />
      </ActionButton>
    </li>
  );
}
