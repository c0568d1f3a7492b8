import { manualClock } from './manual-clock.ts';
import { emptyJournal, memoryJournal } from './memory-journal.ts';
import { memorySeams, TEST_BUILD } from './memory-seams.ts';
import { newWorld } from './memory-world.ts';
import { pipelinesContract } from './pipelines-contract.ts';
import { resourcesContract } from './resources-contract.ts';
import { variablesContract } from './variables-contract.ts';

resourcesContract('the double in memory', async () => {
  const world = newWorld();
  const { resources } = memorySeams(world, memoryJournal(emptyJournal()), manualClock());
  let count = 0;
  return {
    resources,
    newResource: async () => ({ name: `resource-${++count}`, build: { ...TEST_BUILD, id: ++count } }),
    laterBuild: async (build) => ({ ...build, id: ++count }),
    outputs: async ({ id }) =>
      world.outputs
        .filter(({ buildId }) => buildId === id)
        .map(({ name, version }) => ({ name, version }))
        .sort((a, b) => a.name.localeCompare(b.name)),
    [Symbol.asyncDispose]: async () => {},
  };
});

variablesContract('the double in memory', async (sources) => {
  const world = newWorld();
  for (const [source, values] of Object.entries(sources)) {
    for (const [path, value] of Object.entries(values)) world.variables[`${source}:${path}`] = value;
  }
  const { variables } = memorySeams(world, memoryJournal(emptyJournal()), manualClock());
  return { variables, [Symbol.asyncDispose]: async () => {} };
});

pipelinesContract('the double in memory', async () => {
  const { pipelines } = memorySeams(newWorld(), memoryJournal(emptyJournal()), manualClock());
  let count = 0;
  const newBuild = async () => ({ ...TEST_BUILD, id: ++count });
  return { pipelines, newBuild, [Symbol.asyncDispose]: async () => {} };
});
