/** A version, as the resource protocol has it. */
export type Version = Readonly<Record<string, string>>;

export interface MetadataField {
  readonly name: string;
  readonly value: string;
  readonly type?: string;
}

/** What `check`, `in` and `out` get on their input. */
export interface ResourceRequest {
  readonly source: Readonly<Record<string, unknown>>;
  readonly params: Readonly<Record<string, unknown>>;
  readonly version?: Version;
}

/** What `in` and `out` print. */
export interface ResourceAnswer {
  readonly version: Version;
  readonly metadata: readonly MetadataField[];
}

export interface ActionContext {
  readonly now: () => number;
  readonly env: NodeJS.ProcessEnv;
  /** A line of the build log. */
  readonly log: (line: string) => void;
  readonly signal: AbortSignal;
}

/** A resource type. Errors are for the user: their messages go to the build log. */
export interface ResourceType {
  check(context: ActionContext, request: ResourceRequest): Promise<readonly Version[]>;
  in(context: ActionContext, request: ResourceRequest, destination: string): Promise<ResourceAnswer>;
  out(context: ActionContext, request: ResourceRequest, sources: string): Promise<ResourceAnswer>;
}

/** Reads a request. Throws for anything that is not one. */
export function parseRequest(text: string): ResourceRequest {
  const value: unknown = JSON.parse(text);
  if (!isRecord(value)) throw new Error('the request is not a JSON object');
  const { source = {}, params, version } = value;
  if (!isRecord(source)) throw new Error('source is not an object');
  if (params !== undefined && params !== null && !isRecord(params)) throw new Error('params is not an object');
  if (version !== undefined && version !== null && !isRecord(version)) throw new Error('version is not an object');
  const texts = version && Object.fromEntries(Object.entries(version).map(([key, part]) => [key, String(part)]));
  return { source, params: params ?? {}, ...(texts && { version: texts }) };
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
