import { type ReadonlySignal, signal } from '@preact/signals';

/** Concourse's key and form. */
const KEY = 'side_bar_state';
/** In pixels. */
export const [LEAST_WIDTH, MOST_WIDTH] = [100, 600];
const USUAL_WIDTH = 275;

export interface SideBarLook {
  readonly isOpen: boolean;
  /** In pixels. */
  readonly width: number;
}

/** Whether the side bar is open and how wide it is, the same in all tabs of this browser. */
export class SideBarState {
  readonly #look = signal(parseLook(localStorage.getItem(KEY)));
  readonly look: ReadonlySignal<SideBarLook> = this.#look;

  start(): void {
    window.addEventListener('storage', ({ key, newValue }) => {
      if (key === KEY) this.#look.value = parseLook(newValue);
    });
  }

  toggle(): void {
    this.#set({ ...this.#look.value, isOpen: !this.#look.value.isOpen });
  }

  resize(width: number): void {
    this.#set({ ...this.#look.value, width: within(width) });
  }

  #set(look: SideBarLook): void {
    this.#look.value = look;
    localStorage.setItem(KEY, JSON.stringify({ is_open: look.isOpen, width: look.width }));
  }
}

export function parseLook(text: string | null): SideBarLook {
  try {
    const { is_open: isOpen, width } = JSON.parse(text ?? '{}') as { is_open?: unknown; width?: unknown };
    return { isOpen: isOpen === true, width: within(typeof width === 'number' ? width : USUAL_WIDTH) };
  } catch {
    return { isOpen: false, width: USUAL_WIDTH };
  }
}

function within(width: number): number {
  return Math.min(MOST_WIDTH, Math.max(LEAST_WIDTH, Math.round(width)));
}
