import { historyContract } from './history-contract.ts';
import { InMemoryHistory } from './in-memory-history.ts';

historyContract('the history in memory', async () => {
  const history = new InMemoryHistory();
  let ids = 0;
  const newId = async () => ++ids;
  return {
    history,
    newResource: newId,
    newJob: newId,
    addVersions: async (resourceId, versions) => {
      history.versions[resourceId] = [...versions];
    },
    disable: async (resourceId, version) => history.disable(resourceId, version),
    addBuild: async (job, outputs, rerunOf) => {
      const id = await newId();
      history.builds.push({ id, job, outputs, ...(rerunOf === undefined ? {} : { rerunOf }) });
      return id;
    },
    addUse: async (job, { resourceId, version, fromBuild }) => {
      history.uses.push({ job, versions: { [resourceId]: version }, from: fromBuild ? [fromBuild] : [] });
    },
    digest: async (version) => version,
    [Symbol.asyncDispose]: async () => {},
  };
});
