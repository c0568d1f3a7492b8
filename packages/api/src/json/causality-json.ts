import type { Causality, CausalityDirection, CausalityUse } from '@seaplane/db';
import type { CausalityAnswer } from '../answers/causality.ts';
import { withoutEmpty } from './without-empty.ts';

/** Only resources on the way are shown: the one that was asked for, and those that a build leads to. */
export function causalityJson(
  { builds, uses }: Causality,
  resourceId: number,
  direction: CausalityDirection,
): CausalityAnswer {
  const isChild = ({ as }: CausalityUse) => (as === 'output') === (direction === 'downstream');
  const onTheWay = new Set([resourceId, ...uses.filter(isChild).map((use) => use.resourceId)]);
  const shown = uses.filter((use) => onTheWay.has(use.resourceId));
  const children = Map.groupBy(shown.filter(isChild), ({ buildId }) => buildId);
  return {
    jobs: [...Map.groupBy(builds, ({ jobId }) => jobId)].map(([id, own]) => ({
      id,
      name: own[0]?.jobName ?? '',
      ...withoutEmpty({ build_ids: own.map((build) => build.id) }),
    })),
    builds: builds.map(({ id, name, jobId, status }) => ({
      id,
      name,
      job_id: jobId,
      status,
      ...withoutEmpty({ resource_version_ids: idsOf(children.get(id) ?? [], ({ versionId }) => versionId) }),
    })),
    resources: [...Map.groupBy(shown, (use) => use.resourceId)].map(([id, own]) => ({
      id,
      name: own[0]?.resourceName ?? '',
      ...withoutEmpty({ version_ids: idsOf(own, ({ versionId }) => versionId) }),
    })),
    // Resources may share a history of versions, and so the ids of versions.
    resource_versions: [...Map.groupBy(shown, (use) => `${use.resourceId} ${use.versionId}`).values()].flatMap(
      (own) => {
        const [first] = own;
        if (!first) return [];
        const parents = own.filter((use) => !isChild(use));
        return {
          id: first.versionId,
          resource_id: first.resourceId,
          version: first.version,
          ...withoutEmpty({ build_ids: idsOf(parents, ({ buildId }) => buildId) }),
        };
      },
    ),
  };
}

function idsOf(uses: readonly CausalityUse[], idOf: (use: CausalityUse) => number): readonly number[] {
  return [...new Set(uses.map(idOf))];
}
