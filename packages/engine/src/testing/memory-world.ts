import type { Json, MetadataField, VarReference, Version } from '@seaplane/config';
import type {
  CheckRequest,
  GetRequest,
  PutRequest,
  SetPipelineRequest,
  SetPipelineResult,
  TaskRequest,
} from '../seams.ts';

/** What a step's process does. Steps without a script print nothing and succeed. */
export interface Script {
  readonly stdout?: string;
  readonly stderr?: string;
  readonly exit?: number;
  /** It cannot be started, and this is why. */
  readonly error?: string;
  /** It runs until it is made to end, and then says this. */
  readonly untilInterrupted?: string;
  /** It runs until this resolves. */
  readonly until?: (world: World) => Promise<unknown>;
  /** What check answers. */
  readonly versions?: readonly Version[];
  /** What get and put answer, instead of what they were asked for. */
  readonly version?: Version;
  readonly metadata?: readonly MetadataField[];
  /** Files of what a get fetches, and of each output of a task. */
  readonly files?: Readonly<Record<string, string>>;
  /** The get finds it in a cache, and no process runs. */
  readonly cached?: boolean;
}

export type ProcessRequest = CheckRequest | GetRequest | PutRequest | TaskRequest;

export interface WorldProcess {
  readonly stepName: string;
  readonly attempt: string;
  readonly request: ProcessRequest;
  /** How often somebody attached to it, the first time included. */
  attached: number;
  /** By itself. */
  ended: boolean;
  interrupted: boolean;
}

export interface CheckScope {
  readonly from?: Version;
  readonly skip?: { readonly latest?: Version };
}

/** Everything outside the engine, in memory. It outlives the walks of a build, as the real things do. */
export interface World {
  readonly scripts: Record<string, Script>;
  readonly processes: Map<string, WorldProcess>;
  /** The plans whose process was started, in order. */
  readonly started: string[];
  readonly artifacts: Map<string, Readonly<Record<string, string>>>;
  readonly uploads: Map<number, string>;
  readonly published: Map<string, string>;
  /** By the name of the check. */
  readonly checks: Record<string, CheckScope>;
  /** By the name as written in a pipeline: `vault:db.password`. A function may throw. */
  readonly variables: Record<string, Json | (() => Json)>;
  readonly lookups: VarReference[];
  readonly pipelines: { result: SetPipelineResult | Error; readonly requests: Map<string, SetPipelineRequest> };
  /** What the engine told about resources, each thing once. */
  readonly saved: Set<string>;
  /** The newest version of each resource, by the name of its check. */
  readonly newest: Map<string, Version>;
  readonly outputs: { readonly buildId: number; readonly name: string; readonly version: Version }[];
}

export function newWorld(scripts: Readonly<Record<string, Script>> = {}): World {
  return {
    scripts: { ...scripts },
    processes: new Map(),
    started: [],
    artifacts: new Map(),
    uploads: new Map(),
    published: new Map(),
    checks: {},
    variables: {},
    lookups: [],
    pipelines: { result: { kind: 'set', created: true, changed: true, diff: '' }, requests: new Map() },
    saved: new Set(),
    newest: new Map(),
    outputs: [],
  };
}

/** What the process of a plan was asked to do. */
export function requestOf<T extends ProcessRequest>(world: World, planId: string): T {
  const process = world.processes.get(planId);
  if (!process) throw new Error(`no process of the plan ${planId} was started`);
  return process.request as T;
}
