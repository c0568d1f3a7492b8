/** What a registry asks for with a 401. */
export type Challenge =
  | { readonly scheme: 'basic' }
  | { readonly scheme: 'bearer'; readonly realm: string; readonly service?: string; readonly scope?: string };

/** Reads `WWW-Authenticate`. Undefined when it names no scheme that registries use. */
export function parseChallenge(header: string | undefined): Challenge | undefined {
  const bearer = /(?:^|,\s*)bearer\s+(.*)$/is.exec(header ?? '');
  if (bearer) {
    const fields = Object.fromEntries(
      [...(bearer[1] ?? '').matchAll(/([a-z]+)\s*=\s*(?:"([^"]*)"|([^\s,]+))/gi)].map(
        ([, name = '', quoted, plain]) => [name.toLowerCase(), quoted ?? plain ?? ''],
      ),
    );
    const { realm, service, scope } = fields;
    if (!realm || !URL.canParse(realm)) return undefined;
    return { scheme: 'bearer', realm, ...(service && { service }), ...(scope && { scope }) };
  }
  return /(?:^|,\s*)basic\b/i.test(header ?? '') ? { scheme: 'basic' } : undefined;
}

/** Where to ask for a token. */
export function tokenUrl({ realm, service }: Challenge & { scheme: 'bearer' }, scope: string): URL {
  const url = new URL(realm);
  if (service) url.searchParams.set('service', service);
  url.searchParams.set('scope', scope);
  return url;
}
