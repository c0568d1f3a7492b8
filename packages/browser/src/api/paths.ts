import type { ApiRoutes, NotJson, RouteName } from '@seaplane/api/answers';

export type Answer<R extends RouteName> = ApiRoutes[R]['answer'];
/** Routes that a method reaches and that answer with JSON or nothing. */
export type RouteOf<M extends string> = {
  [R in RouteName]: R extends `${M} ${string}` ? (Answer<R> extends NotJson ? never : R) : never;
}[RouteName];

/** The parameters of a route's path: `team` and `job` in `GET /teams/:team/jobs/:job`. */
type ParametersOf<R extends string> = R extends `${string}/:${infer Name}/${infer Rest}`
  ? { readonly [N in Name]: string } & ParametersOf<`/${Rest}`>
  : R extends `${string}/:${infer Name}`
    ? { readonly [N in Name]: string }
    : unknown;

export interface Call<R extends string> {
  readonly at: ParametersOf<R>;
  /** Without its question mark. */
  readonly query?: string | undefined;
}

/** The path of a request, with the query. */
export function pathOf<R extends RouteName>(route: R, { at, query }: Call<R>): string {
  const values = at as Readonly<Record<string, string>>;
  const path = route
    .slice(route.indexOf(' ') + 1)
    .replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
  return query ? `${path}?${query}` : path;
}
