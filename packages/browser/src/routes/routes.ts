/** A pipeline in an address: its team, its name, and the part of the query that names its instance vars. */
export interface PipelineRef {
  readonly team: string;
  readonly pipeline: string;
  /** `vars.a=1&vars.b=2`, encoded as in the address. Empty for a pipeline without instance vars. */
  readonly vars: string;
}

export interface Followed {
  readonly resource: string;
  readonly version: string;
}

/** How a build is shown. By default as its log. */
interface BuildView {
  readonly view?: 'timeline';
}

export interface DashboardView {
  readonly search: string;
  readonly dense: boolean;
  /** Archived pipelines are shown, too. */
  readonly archived: boolean;
}

export type Route =
  | ({ readonly page: 'dashboard' } & DashboardView)
  | ({
      readonly page: 'pipeline';
      readonly groups: readonly string[];
      /** The version whose way through the pipeline is shown. */
      readonly follow?: Followed;
      /** The jobs that stand out. */
      readonly search?: string;
    } & PipelineRef)
  | ({ readonly page: 'config' } & PipelineRef)
  | ({ readonly page: 'job'; readonly job: string; readonly from?: string; readonly to?: string } & PipelineRef)
  | ({ readonly page: 'build'; readonly job: string; readonly build: string } & BuildView & PipelineRef)
  | ({
      readonly page: 'resource';
      readonly resource: string;
      /** `KEY:VALUE`, all of which the versions have. */
      readonly filters: readonly string[];
      readonly from?: string;
      readonly to?: string;
    } & PipelineRef)
  | ({
      readonly page: 'causality';
      readonly resource: string;
      readonly version: string;
      readonly direction: 'upstream' | 'downstream';
    } & PipelineRef)
  | ({ readonly page: 'one-off'; readonly id: string } & BuildView)
  | { readonly page: 'new-pipeline' }
  | { readonly page: 'activity' }
  | { readonly page: 'workers' }
  | { readonly page: 'fly'; readonly port: string | undefined; readonly isDone: boolean };

const PIPELINE = '/teams/:team/pipelines/:pipeline';
export const NEW_PIPELINE_PATH = '/new-pipeline';

type PageEntry = readonly [pattern: string, make: (found: Found, query: URLSearchParams) => Route];

/** The pages, at Concourse's addresses (web/elm/src/Routes.elm). */
const PAGES: readonly PageEntry[] = [
  ['/', (_, query) => ({ page: 'dashboard', ...dashboardIn(query), dense: false })],
  ['/hd', (_, query) => ({ page: 'dashboard', ...dashboardIn(query), dense: true })],
  [
    PIPELINE,
    (found, query) => ({
      page: 'pipeline',
      groups: query.getAll('group'),
      ...followIn(query),
      ...searchIn(query),
      ...refOf(found, query),
    }),
  ],
  [`${PIPELINE}/config`, (found, query) => ({ page: 'config', ...refOf(found, query) })],
  [
    `${PIPELINE}/jobs/:job`,
    (found, query) => ({
      page: 'job',
      job: found['job'] ?? '',
      ...refOf(found, query),
      ...range(query),
    }),
  ],
  [
    `${PIPELINE}/jobs/:job/builds/:build`,
    (found, query) => ({
      page: 'build',
      job: found['job'] ?? '',
      build: found['build'] ?? '',
      ...refOf(found, query),
      ...viewIn(query),
    }),
  ],
  [
    `${PIPELINE}/resources/:resource`,
    (found, query) => ({
      page: 'resource',
      resource: found['resource'] ?? '',
      filters: query.getAll('filter'),
      ...refOf(found, query),
      ...range(query),
    }),
  ],
  ...(['upstream', 'downstream'] as const).map(
    (direction): PageEntry => [
      `${PIPELINE}/resources/:resource/causality/:version/${direction}`,
      (found, query) => ({
        page: 'causality',
        resource: found['resource'] ?? '',
        version: found['version'] ?? '',
        direction,
        ...refOf(found, query),
      }),
    ],
  ),
  ['/builds/:id', ({ id = '' }, query) => ({ page: 'one-off', id, ...viewIn(query) })],
  [NEW_PIPELINE_PATH, () => ({ page: 'new-pipeline' })],
  ['/activity', () => ({ page: 'activity' })],
  ['/workers', () => ({ page: 'workers' })],
  ['/fly_success', (_, query) => ({ page: 'fly', port: portIn(query), isDone: query.get('noop') === 'true' })],
];

type Found = Readonly<Record<string, string>>;

/** The page at an address (`/path?query`); undefined if there is none. */
export function parseRoute(address: string): Route | undefined {
  const [path = '', query = ''] = split(address);
  for (const [pattern, make] of PAGES) {
    const found = match(pattern, path);
    if (found) return make(found, new URLSearchParams(query));
  }
  return undefined;
}

export function dashboardPath({ search, dense, archived }: DashboardView): string {
  const query = new URLSearchParams({ ...(search !== '' && { search }), ...(archived && { view: 'all' }) }).toString();
  return withVars(dense ? '/hd' : '/', query);
}

/** The same page with another search. */
export function withSearch(address: string, search: string): string {
  const [path = '', text = ''] = split(address);
  const query = new URLSearchParams(text);
  if (search === '') query.delete('search');
  else query.set('search', search);
  return withVars(path, query.toString());
}

/** `hide_ui=true` on any page: the page without the bars around it, for screens on a wall. */
export function hidesBars(address: string): boolean {
  return new URLSearchParams(split(address)[1]).get('hide_ui') === 'true';
}

export function pipelinePath({ team, pipeline, vars }: PipelineRef): string {
  return withVars(`/teams/${encodeURIComponent(team)}/pipelines/${encodeURIComponent(pipeline)}`, vars);
}

/** The configuration of a pipeline. */
export function configPath({ team, pipeline, vars }: PipelineRef): string {
  return withVars(`${pipelinePath({ team, pipeline, vars: '' })}/config`, vars);
}

/** The pipeline with the way of a version through it. */
export function followPath(ref: PipelineRef, resource: string, version: number): string {
  const query = new URLSearchParams({ follow: `${version}:${resource}` }).toString();
  return withVars(pipelinePath({ ...ref, vars: '' }), [ref.vars, query].filter(Boolean).join('&'));
}

export function jobPath(ref: PipelineRef, job: string): string {
  const path = pipelinePath({ ...ref, vars: '' });
  return withVars(`${path}/jobs/${encodeURIComponent(job)}`, ref.vars);
}

export function buildPath(ref: PipelineRef, job: string, build: string): string {
  const path = jobPath({ ...ref, vars: '' }, job);
  return withVars(`${path}/builds/${encodeURIComponent(build)}`, ref.vars);
}

/** `query` is a page of the versions, or a filter. */
export function resourcePath(ref: PipelineRef, resource: string, query = ''): string {
  const path = `${pipelinePath({ ...ref, vars: '' })}/resources/${encodeURIComponent(resource)}`;
  return withVars(path, [ref.vars, query].filter(Boolean).join('&'));
}

export function causalityPath(
  ref: PipelineRef,
  resource: string,
  version: number,
  direction: 'upstream' | 'downstream',
) {
  const path = resourcePath({ ...ref, vars: '' }, resource);
  return withVars(`${path}/causality/${version}/${direction}`, ref.vars);
}

/** The sign-in page, which leads back to this address, fragment included. */
export function signInPath(address: string): string {
  return `/sky/login?redirect_uri=${encodeURIComponent(address)}`;
}

function withVars(path: string, vars: string): string {
  return vars === '' ? path : `${path}?${vars}`;
}

function refOf({ team = '', pipeline = '' }: Found, query: URLSearchParams): PipelineRef {
  const vars = [...query].filter(([name]) => name === 'vars' || name.startsWith('vars.'));
  return { team, pipeline, vars: new URLSearchParams(vars).toString() };
}

function dashboardIn(query: URLSearchParams): Omit<DashboardView, 'dense'> {
  return { search: query.get('search') ?? '', archived: query.get('view') === 'all' };
}

/** `follow=VERSION:RESOURCE`. */
function followIn(query: URLSearchParams): { readonly follow?: Followed } {
  const [, version, resource] = /^(\d+):(.+)$/s.exec(query.get('follow') ?? '') ?? [];
  return version !== undefined && resource !== undefined ? { follow: { version, resource } } : {};
}

function searchIn(query: URLSearchParams): { readonly search?: string } {
  const search = query.get('search') ?? '';
  return search === '' ? {} : { search };
}

function range(query: URLSearchParams): { readonly from?: string; readonly to?: string } {
  const [from, to] = [query.get('from'), query.get('to')];
  return { ...(from !== null && { from }), ...(to !== null && { to }) };
}

function viewIn(query: URLSearchParams): BuildView {
  return query.get('view') === 'timeline' ? { view: 'timeline' } : {};
}

/** A port is a number: it becomes part of an address. */
function portIn(query: URLSearchParams): string | undefined {
  const text = query.get('fly_port') ?? '';
  return /^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? text : undefined;
}

function split(address: string): readonly string[] {
  const [withoutFragment = ''] = address.split('#');
  const at = withoutFragment.indexOf('?');
  return at < 0 ? [withoutFragment, ''] : [withoutFragment.slice(0, at), withoutFragment.slice(at + 1)];
}

function match(pattern: string, path: string): Found | undefined {
  const [wanted, given] = [pattern.split('/'), path.split('/')];
  if (wanted.length !== given.length) return undefined;
  const found: Record<string, string> = {};
  for (const [i, part] of wanted.entries()) {
    const text = given[i] ?? '';
    if (!part.startsWith(':')) {
      if (part !== text) return undefined;
      continue;
    }
    const value = decode(text);
    if (value === undefined || value === '') return undefined;
    found[part.slice(1)] = value;
  }
  return found;
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
