import type { Json, MetadataField, VarReference, Version } from '@seaplane/config';
import type {
  CheckRequest,
  GetRequest,
  PulledImage,
  PutRequest,
  SetPipelineRequest,
  SetPipelineResult,
  StepDefaults,
  StepNotice,
  TaskRequest,
} from '../seams.ts';

/** The behaviour of a step's process. A step without a script prints nothing and succeeds. */
export interface Script {
  readonly stdout?: string;
  readonly stderr?: string;
  readonly exit?: number;
  /** Notices between the choice of a worker and the start of the process. */
  readonly notices?: readonly StepNotice[];
  /** Why the process cannot be started. */
  readonly error?: string;
  /** The process runs until it is interrupted, and then prints this. */
  readonly untilInterrupted?: string;
  /** The process runs until this resolves. */
  readonly until?: (world: World) => Promise<unknown>;
  /** The answer of a check. */
  readonly versions?: readonly Version[];
  /** The answer of a get or put, instead of the requested version. */
  readonly version?: Version;
  readonly metadata?: readonly MetadataField[];
  /** The files of the fetched artifact of a get, and of each output of a task. */
  readonly files?: Readonly<Record<string, string>>;
  /** The host pulls the image that a get is for, and no process runs. */
  readonly pulled?: PulledImage;
  /** The get finds the version in a cache, and no process runs. */
  readonly cached?: boolean;
}

export type ProcessRequest = CheckRequest | GetRequest | PutRequest | TaskRequest;

export interface WorldProcess {
  readonly stepName: string;
  readonly attempt: string;
  readonly request: ProcessRequest;
  /** How often a walk attached to the process, including the first time. */
  attached: number;
  /** Whether the process ended by itself. */
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
  readonly pipelines: MemoryPipelines;
  /** Everything the engine saved about resources, each thing once. */
  readonly saved: Set<string>;
  /** The newest version of each resource, by the name and source of its check. */
  readonly newest: Map<string, Version>;
  /** The operator's settings. */
  defaults: StepDefaults;
  readonly outputs: { readonly buildId: number; readonly name: string; readonly version: Version }[];
}

/** The pipelines that set_pipeline steps have set. */
export interface MemoryPipelines {
  /** The answer to the next steps, in place of what would be done. */
  result?: SetPipelineResult | Error;
  /** By plan. */
  readonly requests: Map<string, SetPipelineRequest>;
  /** The configuration of each pipeline, by its name. */
  readonly texts: Map<string, string>;
  /** The answer to each step, by build and plan. */
  readonly results: Map<string, SetPipelineResult>;
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
    pipelines: { requests: new Map(), texts: new Map(), results: new Map() },
    saved: new Set(),
    newest: new Map(),
    defaults: {},
    outputs: [],
  };
}

/** The request for the process of a plan. */
export function requestOf<T extends ProcessRequest>(world: World, planId: string): T {
  const process = world.processes.get(planId);
  if (!process) throw new Error(`no process of the plan ${planId} was started`);
  return process.request as T;
}
