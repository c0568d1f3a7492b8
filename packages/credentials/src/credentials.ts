import {
  ConfigError,
  checkVarSourceConfig,
  followFields,
  interpolate,
  type Json,
  type Lookup,
  namedLookups,
  orderVarSources,
  type VarReference,
  type VarSourceConfig,
} from '@seaplane/config';
import { newSecrets, type Variables } from '@seaplane/engine';
import { CredentialError } from './credential-error.ts';
import type { CredentialManager, ManagerServices, ManagerType, VarScope } from './manager.ts';
import { ManagerPool } from './manager-pool.ts';
import { MANAGER_TYPES } from './manager-types.ts';
import { SharedManager } from './shared-manager.ts';

export interface CredentialsOptions extends ManagerServices {
  /** Called with trouble that no lookup reports. */
  readonly onError: (error: unknown, what: string) => void;
  readonly types?: readonly ManagerType[];
  /** The operator's own, for variables without a var source. */
  readonly global?: CredentialManager;
}

/** The credential managers of one web. Builds and requests of the API look their variables up here. */
export class Credentials implements AsyncDisposable {
  readonly #types: readonly ManagerType[];
  readonly #pool: ManagerPool;
  readonly #global: SharedManager | undefined;

  constructor({ types = MANAGER_TYPES, global, ...options }: CredentialsOptions) {
    this.#types = types;
    this.#pool = new ManagerPool(options);
    this.#global = global && new SharedManager(global, options.clock);
  }

  /**
   * The variables of a pipeline: those of its var sources, and without a source those of the operator's manager. Opens nothing by itself: a source's configuration is read and its
   * manager opened when one of its variables is looked up. Throws a ConfigError when sources use each other in a
   * circle.
   */
  variables(sources: readonly VarSourceConfig[], scope: VarScope): Variables {
    const ordered = orderVarSources(sources);

    /** A source may use those before it, which is why they are ordered. */
    const lookupIn = (usable: readonly VarSourceConfig[], signal: AbortSignal): Lookup => {
      const named = namedLookups(
        Object.fromEntries(
          usable.map((source) => [
            source.name,
            async (reference) => {
              const value = await use(source, signal, (manager) => manager.find(reference.path, scope, signal));
              return value === undefined ? undefined : followFields(value, reference);
            },
          ]),
        ),
      );
      return async (reference) => {
        if (reference.source !== undefined) return named(reference);
        const value = await this.#global?.find(reference.path, scope, signal);
        return value === undefined ? undefined : followFields(value, reference);
      };
    };

    const use = async <T>(
      source: VarSourceConfig,
      signal: AbortSignal,
      act: (manager: SharedManager) => Promise<T>,
    ): Promise<T> => {
      const type = this.#typeOf(source);
      const before = ordered.slice(0, ordered.indexOf(source));
      return this.#pool.use(type, await resolveConfig(type, source, lookupIn(before, signal)), signal, act);
    };

    return {
      get: async (reference, signal) => lookupIn(ordered, signal)(reference),
      placesOf: async (reference, signal) => {
        if (reference.source === undefined) return this.#global?.paths(reference.path, scope) ?? [];
        const source = ordered.find(({ name }) => name === reference.source);
        if (!source) return [];
        const paths = await use(source, signal, async (manager) => manager.paths(reference.path, scope));
        return paths.filter((path) => path !== reference.path);
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool[Symbol.asyncDispose]();
    await this.#global?.[Symbol.asyncDispose]();
  }

  #typeOf({ name, type }: VarSourceConfig): ManagerType {
    const known = this.#types.find((each) => each.type === type);
    if (known) return known;
    const message = `the var source ${name} is of the type ${type}, which this version of Seaplane does not know`;
    throw new CredentialError('unknown-type', message);
  }
}

/** The configuration of a source with its variables put in. It is checked again, for a value may not fit. */
async function resolveConfig({ type }: ManagerType, source: VarSourceConfig, lookup: Lookup): Promise<Json> {
  const secrets = newSecrets();
  const tracked = async (reference: VarReference) => {
    const value = await lookup(reference);
    secrets.track(value);
    return value;
  };
  const config = await interpolate(source.config ?? null, tracked, { allowMissing: false }).catch((error: unknown) => {
    if (!(error instanceof ConfigError)) throw error;
    const message = `the configuration of the var source ${source.name}: ${error.message}`;
    throw new ConfigError(error.code, message, { cause: error });
  });
  const problem = checkVarSourceConfig(type, { ...source, config });
  if (problem !== undefined) throw new CredentialError('invalid-config', secrets.redact(problem));
  return config;
}
