import './styles/base.css';
import './styles/parts.css';
import './styles/frame.css';
import './styles/dashboard.css';
import './styles/live.css';
import './styles/build.css';
import './styles/tables.css';
import './styles/slim-head.css';
import './styles/ansi.css';
import './styles/timeline.css';
import './styles/overview.css';
import './styles/pipeline.css';
import './styles/resource.css';
import './styles/terminal.css';
import { render } from 'preact';
import { firstRequests } from './api/first-requests.ts';
import { App } from './app.tsx';
import { Favourites } from './dashboard/favourites.ts';
import { ClockProvider, PageClock } from './parts/clock.tsx';
import { ThemeChoice } from './parts/theme.ts';
import { Navigation } from './routes/navigation.ts';
import { parseRoute } from './routes/routes.ts';
import { Session, SessionProvider } from './session/session.ts';
import { SideBarState } from './side-bar/side-bar-state.ts';

async function start(): Promise<void> {
  const root = document.getElementById('app');
  if (!root) throw new Error('the page has no place for the application');
  const [navigation, theme, favourites, sideBar, clock] = [
    new Navigation(),
    new ThemeChoice(),
    new Favourites(),
    new SideBarState(),
    new PageClock(),
  ];
  navigation.start();
  sideBar.start();
  favourites.start();
  clock.start();
  try {
    const session = await Session.open(
      firstRequests(parseRoute(navigation.address.value), document.documentElement.dataset.startedBuild),
    );
    session.live.start();
    render(
      <SessionProvider value={session}>
        <ClockProvider value={clock}>
          <App {...{ navigation, theme, favourites, sideBar }} />
        </ClockProvider>
      </SessionProvider>,
      root,
    );
  } catch (error) {
    const words = document.createElement('p');
    words.className = 'message';
    words.textContent = `${(error as Error).message} Reload the page to try again.`;
    root.replaceChildren(words);
  }
}

void start();
