import type { Json, JsonObject } from '@seaplane/config';
import type { ManagerType } from '../manager.ts';

/** Variables written into the var source itself: `config: {vars: {NAME: VALUE}}`. */
export const dummy: ManagerType = {
  type: 'dummy',
  async open(config) {
    const { vars } = config as { readonly vars: JsonObject };
    return {
      paths: (name) => [name],
      read: async (path) => (Object.hasOwn(vars, path) ? { value: vars[path] as Json } : undefined),
      [Symbol.asyncDispose]: async () => {},
    };
  },
};
