import { type ReadonlySignal, signal } from '@preact/signals';

export type Theme =
  | 'system'
  | 'light'
  | 'dark'
  /** As the system, with colours of a status that nobody mixes up. */
  | 'safe';
const NEXT: Readonly<Record<Theme, Theme>> = { system: 'light', light: 'dark', dark: 'safe', safe: 'system' };
const A_YEAR = 31_536_000;

/** The theme that the user has chosen. A cookie keeps it, so that the server puts it into the page. */
export class ThemeChoice {
  readonly #theme = signal<Theme>((document.documentElement.dataset['theme'] as Theme | undefined) ?? 'system');
  readonly theme: ReadonlySignal<Theme> = this.#theme;

  next(): void {
    const theme = NEXT[this.#theme.value];
    this.#theme.value = theme;
    const root = document.documentElement;
    if (theme === 'system') delete root.dataset['theme'];
    else root.dataset['theme'] = theme;
    const age = theme === 'system' ? 0 : A_YEAR;
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store is not in every browser
    document.cookie = `seaplane_theme=${theme}; Path=/; Max-Age=${age}; SameSite=Lax`;
  }
}
