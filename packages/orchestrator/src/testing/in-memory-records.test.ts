import { InMemoryRecords } from './in-memory-records.ts';
import { recordsContract } from './records-contract.ts';

recordsContract('the double in memory', async () => {
  const records = new InMemoryRecords();
  let builds = 0;
  const of = <T extends { readonly buildId: number }>(rows: readonly T[], buildId: number) =>
    rows.filter((row) => row.buildId === buildId).map(({ buildId: _, ...row }) => row);
  return {
    records,
    teamId: 1,
    jobId: 1,
    newBuild: async () => ++builds,
    takePen: async (buildId) => {
      const writer = (records.pens.get(buildId) ?? 0) + 1;
      records.pens.set(buildId, writer);
      return { buildId, writer };
    },
    endBuild: async (buildId) => {
      records.pens.set(buildId, 0);
      records.endedBuilds.add(buildId);
    },
    endStep: async (buildId, exitStatus, planId = '1') =>
      void records.ends.set(`${buildId}/${planId}`, exitStatus === 0),
    enter: async (handle) => void records.hijacked.add(handle),
    numberUpload: async (artifactId) => {
      records.uploads.set(7, { teamId: 1, artifactId });
      return 7;
    },
    published: async (buildId) => of(records.published, buildId),
    cacheUses: async (buildId) => of(records.cacheUses, buildId),
    artifactUses: async (buildId) => of(records.artifactUses, buildId).map(({ artifactId }) => artifactId),
    [Symbol.asyncDispose]: async () => {},
  };
});
