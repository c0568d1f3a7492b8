import type { SideBarState } from './side-bar-state.ts';

const STEP_PX = 20;

/** Handlers that let an edge be dragged, or moved by arrow keys. */
export function resizeHandlers(state: SideBarState) {
  const { width } = state.look.value;
  return {
    onPointerDown: (event: PointerEvent) => (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId),
    onPointerMove: (event: PointerEvent) => {
      if ((event.currentTarget as HTMLElement).hasPointerCapture(event.pointerId)) state.resize(event.clientX);
    },
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key === 'ArrowLeft') state.resize(width - STEP_PX);
      if (event.key === 'ArrowRight') state.resize(width + STEP_PX);
    },
  };
}
