import type { ApiRoutes, NotJson, RouteName } from '../answers/routes.ts';
import type { TestApi, TestUser } from './test-api.ts';

/** Routes that answer with JSON. */
export type JsonRoute = {
  [R in RouteName]: [ApiRoutes[R]['answer']] extends [NotJson | undefined] ? never : R;
}[RouteName];

/** The parameters of a route's path: `team` and `job` in `GET /teams/:team/jobs/:job`. */
export type ParametersOf<R extends string> = R extends `${string}/:${infer Name}/${infer Rest}`
  ? { readonly [N in Name]: string } & ParametersOf<`/${Rest}`>
  : R extends `${string}/:${infer Name}`
    ? { readonly [N in Name]: string }
    : unknown;

export interface CallOptions<R extends JsonRoute> {
  readonly as?: TestUser;
  readonly parameters: ParametersOf<R>;
  readonly query?: string;
  readonly body?: ApiRoutes[R]['body'];
}

/** Sends a request of a route and returns its answer, typed by the route. Throws on a refusal. */
export async function call<R extends JsonRoute>(
  api: TestApi,
  route: R,
  { as = 'admin', parameters, query = '', body }: CallOptions<R>,
): Promise<ApiRoutes[R]['answer']> {
  const [method = '', path = ''] = route.split(' ');
  const values = parameters as Readonly<Record<string, string>>;
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
  const sent = body instanceof ReadableStream ? await new Response(body).text() : body;
  const response = await api.request(method, `${filled}${query}`, { as, ...(sent !== undefined && { body: sent }) });
  if (!response.ok) throw new Error(`${route} -> ${response.status} ${await response.text()}`);
  return (await response.json()) as ApiRoutes[R]['answer'];
}
