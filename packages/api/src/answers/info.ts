import type { RoleName } from './team.ts';
import type { UnixSeconds } from './unix-seconds.ts';

/** This installation (docs/concourse/fly-api.md, section 3.1). */
export interface InfoAnswer {
  /** The version of Concourse that the API is compatible with. */
  readonly version: string;
  readonly worker_version: string;
  readonly feature_flags: {
    readonly global_resources: boolean;
    readonly redact_secrets: boolean;
    readonly build_rerun: boolean;
    readonly across_step: boolean;
    readonly pipeline_instances: boolean;
    readonly cache_streamed_volumes: boolean;
    readonly resource_causality: boolean;
  };
  readonly external_url?: string;
  readonly cluster_name?: string;
}

/** The credential manager of the whole installation, if there is one. Pipelines have var sources besides. */
export interface CredentialManagersAnswer {
  readonly kubernetes?: {
    readonly in_cluster_config: boolean;
    /** Empty in the cluster itself. */
    readonly config_path: string;
    /** The prefix of the namespaces of teams. */
    readonly namespace_config: string;
  };
}

/** The requester (docs/concourse/fly-api.md, section 2.3). */
export interface UserAnswer {
  readonly sub: string;
  readonly name: string;
  readonly user_id: string;
  readonly user_name: string;
  readonly email: string;
  readonly is_admin: boolean;
  readonly is_system: false;
  /** The teams in which the user has a role. */
  readonly teams: Readonly<Record<string, readonly RoleName[]>>;
  readonly connector: string;
  /** The name that others see. */
  readonly display_user_id: string;
}

/** A user who has logged in. */
export interface AccountAnswer {
  readonly id?: number;
  readonly username?: string;
  readonly connector?: string;
  readonly last_login?: UnixSeconds;
  readonly sub?: string;
}

/** The operator's message to all users. Empty when there is none. */
export interface WallAnswer {
  readonly message?: string;
  /** How long the message still stands, in nanoseconds. Left out: until it is cleared. */
  readonly TTL?: number;
}

/** A background loop of web. */
export interface ComponentAnswer {
  readonly name: string;
  /** In nanoseconds. */
  readonly interval: number;
  /** RFC 3339; `0001-01-01T00:00:00Z` if the loop has not run yet. */
  readonly last_ran: string;
  readonly paused: boolean;
}
