import type { Json, JsonObject, VarSourceType } from '@seaplane/config';
import type { Clock } from '@seaplane/engine';
import type { Identity } from './identity/identity.ts';

/** On whose behalf a variable is looked up. A one-off build has no pipeline and no job. */
export interface VarScope {
  readonly team: string;
  readonly pipeline?: string;
  readonly instanceVars?: JsonObject;
  readonly job?: string;
}

/** A value that a manager holds. */
export interface Secret {
  readonly value: Json;
  /** A lookup after this moment reads the value anew, for example because its lease has ended. */
  readonly expiresAt?: Date;
}

/**
 * A kind of credential manager, such as `vault`. Everything else about managers (sharing, caching, retries, fields of a
 * value, var sources that use each other) is written once, around this interface.
 */
export interface ManagerType {
  /** The `type` of a var source. Its configuration's schema is in config. */
  readonly type: VarSourceType;
  /**
   * Opens a manager: reads the configuration, logs in. The configuration has passed config's `checkVarSourceConfig`,
   * and its variables have their values. Throw a `CredentialError`: `unavailable` is retried, other codes are not.
   */
  open(config: Json, services: ManagerServices, signal: AbortSignal): Promise<CredentialManager>;
}

/** Everything a manager needs of the outside. */
export interface ManagerServices {
  readonly clock: Clock;
  readonly identity: Identity;
}

/** An open manager. Builds and requests share it; it is disposed of when nobody has used it for a while. */
export interface CredentialManager extends AsyncDisposable {
  /**
   * The paths to try for a variable, in order, such as `/concourse/TEAM/PIPELINE/NAME`. Values are cached by path, so
   * the path must hold everything of the scope that `read` depends on.
   */
  paths(name: string, scope: VarScope): readonly string[];
  /** Reads one path. Undefined: nothing is there. Errors as in `ManagerType.open`. */
  read(path: string, scope: VarScope, signal: AbortSignal): Promise<Secret | undefined>;
}
