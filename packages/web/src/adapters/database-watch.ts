import { isConnectionLost } from '@seaplane/db';
import type { EngineSeams, Resources } from '@seaplane/engine';

/**
 * Wraps the seams of a build so that a lost database connection is noticed: such an error says nothing about the step.
 * `onLost` is called before the step gets the error.
 */
export function watchDatabase(seams: EngineSeams, onLost: (error: Error) => void): EngineSeams {
  const watched = <T extends object>(seam: T): T =>
    new Proxy(seam, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key);
        if (typeof value !== 'function') return value;
        return async (...args: unknown[]) => {
          try {
            return await value.apply(target, args);
          } catch (error) {
            if (isConnectionLost(error)) onLost(error as Error);
            throw error;
          }
        };
      },
    });
  const resources: Resources = watched(seams.resources);
  return {
    ...seams,
    orchestrator: watched(seams.orchestrator),
    variables: watched(seams.variables),
    pipelines: watched(seams.pipelines),
    resources: {
      beginCheck: async (...args) => watched(await resources.beginCheck(...args)),
      saveInputMetadata: (...args) => resources.saveInputMetadata(...args),
      saveOutput: (...args) => resources.saveOutput(...args),
    },
  };
}
