import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { ActivityPage } from './activity/activity-page.tsx';
import { BuildPage } from './build/build-page.tsx';
import { CausalityPage } from './causality/causality-page.tsx';
import { Dashboard } from './dashboard/dashboard.tsx';
import type { Favourites } from './dashboard/favourites.ts';
import { SearchBox } from './dashboard/search-box.tsx';
import { varsTextOfQuery } from './dashboard/vars-text.ts';
import { FlyPage } from './fly/fly-page.tsx';
import { JobPage } from './job/job-page.tsx';
import { PaletteDialog } from './palette/palette-dialog.tsx';
import { usePalette } from './palette/use-palette.ts';
import { HelpDialog } from './parts/help-dialog.tsx';
import { useKeys } from './parts/keys.ts';
import { LostBanner, Message, SignInLink } from './parts/message.tsx';
import type { ThemeChoice } from './parts/theme.ts';
import { Breadcrumbs, TopBar } from './parts/top-bar.tsx';
import { ConfigPage } from './pipeline/config-page.tsx';
import { NewPipelinePage } from './pipeline/new-pipeline-page.tsx';
import { PipelinePage } from './pipeline/pipeline-page.tsx';
import { ResourcePage } from './resource/resource-page.tsx';
import type { Navigation } from './routes/navigation.ts';
import {
  dashboardPath,
  hidesBars,
  jobPath,
  type PipelineRef,
  parseRoute,
  pipelinePath,
  type Route,
  resourcePath,
} from './routes/routes.ts';
import { useSession } from './session/session.ts';
import { SideBar } from './side-bar/side-bar.tsx';
import type { SideBarState } from './side-bar/side-bar-state.ts';
import { useWall, WallBanner, WallButton } from './wall/wall.tsx';
import { WorkersPage } from './workers/workers-page.tsx';

interface AppProps {
  readonly navigation: Navigation;
  readonly theme: ThemeChoice;
  readonly favourites: Favourites;
  readonly sideBar: SideBarState;
}

/** The frame of every page, and the page at the address. */
export function App({ navigation, theme, favourites, sideBar }: AppProps) {
  const [showsHelp, setShowsHelp] = useState(false);
  const [showsPalette, setShowsPalette] = usePalette();
  const session = useSession();
  useKeys({
    '?': () => setShowsHelp(true),
    gp: () => navigation.go('/'),
    ga: () => navigation.go('/activity'),
    gw: () => navigation.go('/workers'),
  });
  const address = navigation.address.value;
  const route = parseRoute(address);
  const isBare = hidesBars(address);
  const wall = useWall();
  const main = useFocusOnPage(address);
  return (
    <>
      <a class="skip" href="#content">
        Skip to the content
      </a>
      {!isBare && (
        <TopBar
          {...{ theme, address, route, sideBar }}
          onHelp={() => setShowsHelp(true)}
          onPalette={() => setShowsPalette(true)}
          extra={<WallButton wall={wall} />}
        >
          <Middle route={route} navigation={navigation} />
        </TopBar>
      )}
      <WallBanner wall={wall} />
      <LostBanner />
      {session.hasEnded.value && (
        <p class="banner" role="alert">
          Your session has ended. <SignInLink />
        </p>
      )}
      <div class="frame">
        {!isBare && sideBar.look.value.isOpen && <SideBar route={route} favourites={favourites} state={sideBar} />}
        <main id="content" ref={main} tabIndex={-1}>
          <Page route={route} favourites={favourites} navigation={navigation} />
        </main>
      </div>
      {showsPalette && <PaletteDialog navigation={navigation} onClose={() => setShowsPalette(false)} />}
      {showsHelp && <HelpDialog onClose={() => setShowsHelp(false)} />}
    </>
  );
}

/** Moves the focus into a page that somebody went to: what had it is often gone. */
function useFocusOnPage(address: string): RefObject<HTMLElement | null> {
  const main = useRef<HTMLElement>(null);
  const path = address.replace(/[?#].*/s, '');
  const before = useRef(path);
  useLayoutEffect(() => {
    if (before.current !== path) main.current?.focus({ preventScroll: true });
    before.current = path;
  }, [path]);
  return main;
}

function Middle({ route, navigation }: { route: Route | undefined; navigation: Navigation }) {
  if (route && 'pipeline' in route) return <Way route={route} />;
  if (route?.page !== 'dashboard') return null;
  const search = (text: string) => navigation.replace(dashboardPath({ ...route, search: text }));
  return <SearchBox search={route.search} onSearch={search} />;
}

/** The way to a page of a pipeline. */
function Way({ route }: { route: Extract<Route, PipelineRef> }) {
  const team = [route.team, `/?search=${encodeURIComponent(`team:"${route.team}"`)}`] as const;
  const vars = varsTextOfQuery(route.vars);
  const name = vars === '' ? route.pipeline : `${route.pipeline} (${vars})`;
  const pipeline = [name, pipelinePath(route)] as const;
  if (route.page === 'pipeline') return <Breadcrumbs links={[team]} here={name} />;
  if (route.page === 'config') return <Breadcrumbs links={[team, pipeline]} here="configuration" />;
  if (route.page === 'job') return <Breadcrumbs links={[team, pipeline]} here={route.job} />;
  if (route.page === 'resource') return <Breadcrumbs links={[team, pipeline]} here={route.resource} />;
  if (route.page === 'causality') {
    const resource = [route.resource, resourcePath(route, route.resource)] as const;
    return <Breadcrumbs links={[team, pipeline, resource]} here={route.direction} />;
  }
  const job = [route.job, jobPath(route, route.job)] as const;
  return <Breadcrumbs links={[team, pipeline, job]} here={`#${route.build}`} />;
}

interface PageProps {
  readonly route: Route | undefined;
  readonly favourites: Favourites;
  readonly navigation: Navigation;
}

function Page({ route, favourites, navigation }: PageProps) {
  switch (route?.page) {
    case 'dashboard':
      return <Dashboard view={route} {...{ navigation, favourites }} />;
    case 'pipeline':
      return <PipelinePage {...{ route, navigation, favourites }} />;
    case 'config':
      return <ConfigPage key={JSON.stringify(route)} route={route} />;
    case 'new-pipeline':
      return <NewPipelinePage navigation={navigation} />;
    case 'job':
      return <JobPage route={route} navigation={navigation} />;
    case 'resource':
      return <ResourcePage key={JSON.stringify(route)} route={route} />;
    case 'causality':
      return <CausalityPage key={JSON.stringify(route)} route={route} />;
    case 'build':
    case 'one-off':
      return <BuildPage route={route} navigation={navigation} />;
    case 'activity':
      return <ActivityPage />;
    case 'workers':
      return <WorkersPage />;
    case 'fly':
      return <FlyPage {...route} />;
    default:
      return (
        <Message title="Not found">
          <p>There is no page at this address.</p>
          <p>
            <a href="/">Go to all pipelines</a>
          </p>
        </Message>
      );
  }
}
