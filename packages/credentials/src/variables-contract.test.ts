import { variablesContract } from '@seaplane/engine/testing';
import { openCredentials } from './testing/open-credentials.ts';

variablesContract('the var sources of a pipeline', async (sources) => {
  const open = openCredentials();
  const dummies = Object.entries(sources).map(([name, vars]) => ({ name, type: 'dummy' as const, config: { vars } }));
  return {
    variables: open.credentials.variables(dummies, { team: 'main', pipeline: 'p' }),
    [Symbol.asyncDispose]: () => open[Symbol.asyncDispose](),
  };
});
