import type { ComponentChildren } from 'preact';
import { LiveMark } from '../live/live-mark.tsx';
import { type Route, signInPath } from '../routes/routes.ts';
import { useSession } from '../session/session.ts';
import type { SideBarState } from '../side-bar/side-bar-state.ts';
import { Icon, type IconName } from './icons.tsx';
import { Logo } from './logo.tsx';
import { Sections } from './sections.tsx';
import type { Theme, ThemeChoice } from './theme.ts';

const THEME_ICONS: Readonly<Record<Theme, IconName>> = { system: 'monitor', light: 'sun', dark: 'moon', safe: 'eye' };
const THEME_WORDS: Readonly<Record<Theme, string>> = {
  system: 'system',
  light: 'light',
  dark: 'dark',
  safe: 'colour-safe',
};

interface TopBarProps {
  readonly theme: ThemeChoice;
  readonly address: string;
  readonly sideBar: SideBarState;
  readonly route: Route | undefined;
  readonly onHelp: () => void;
  readonly onPalette: () => void;
  /** More buttons. */
  readonly extra?: ComponentChildren;
  readonly children?: ComponentChildren;
}

/** The bar over every page. `children` is the search or the way to this page. */
export function TopBar({ theme, address, route, sideBar, onHelp, onPalette, extra, children }: TopBarProps) {
  const { user, clusterName } = useSession();
  const chosen = theme.theme.value;
  return (
    <header id="top-bar-app">
      <div class="brand">
        <button
          type="button"
          class="quiet side-bar-switch"
          aria-expanded={sideBar.look.value.isOpen}
          aria-controls="side-bar"
          onClick={() => sideBar.toggle()}
          title="Side bar"
          aria-label="Side bar"
        >
          <Icon name="list" />
        </button>
        <a href="/" title="All pipelines">
          <Logo />
          <span>{clusterName}</span>
        </a>
      </div>
      <Sections route={route} />
      <div class="top-middle">{children}</div>
      <div class="top-end">
        <LiveMark />
        {extra}
        <button type="button" class="quiet" onClick={onPalette} title="Go to ... (Ctrl+K)" aria-label="Go to ...">
          <Icon name="go" />
        </button>
        <button
          type="button"
          class="quiet top-help"
          onClick={onHelp}
          title="Keys and search (?)"
          aria-label="Keys and search"
        >
          <Icon name="help" />
        </button>
        <button
          type="button"
          class="quiet"
          onClick={() => theme.next()}
          title={`Theme: ${THEME_WORDS[chosen]}`}
          aria-label={`Theme: ${THEME_WORDS[chosen]}. Change`}
        >
          <Icon name={THEME_ICONS[chosen]} />
        </button>
        {user.value ? (
          <>
            <span id="user-id">{user.value.display_user_id}</span>
            <a class="button" href="/sky/logout">
              Sign out
            </a>
          </>
        ) : (
          <a class="button primary" href={signInPath(address)}>
            Sign in
          </a>
        )}
      </div>
    </header>
  );
}

/** The way to a page: links, then the name of the page itself. */
export function Breadcrumbs({
  links,
  here,
}: {
  links: readonly (readonly [text: string, href: string])[];
  here: string;
}) {
  return (
    <nav class="breadcrumbs" aria-label="Where you are">
      <ol>
        {links.map(([text, href]) => (
          <li key={href}>
            <a href={href}>{text}</a>
          </li>
        ))}
        <li aria-current="page">{here}</li>
      </ol>
    </nav>
  );
}
