import type { JobSummaryAnswer, PipelineAnswer } from '@seaplane/api/answers';

/** The names of a pipeline's groups. They come as the configuration has them. */
export function groupNames({ groups }: PipelineAnswer): readonly string[] {
  if (!Array.isArray(groups)) return [];
  return groups.flatMap((group) => (typeof group?.['name'] === 'string' ? [group['name']] : []));
}

/** The groups that are shown: those of the address, else the first, as in Concourse. */
export function chosenGroups(all: readonly string[], wanted: readonly string[]): readonly string[] {
  const known = wanted.filter((name) => all.includes(name));
  return known.length > 0 ? known : all.slice(0, 1);
}

/** The groups after a click with shift on one of them: added, or taken away. The last one stays. */
export function toggleGroup(chosen: readonly string[], name: string): readonly string[] {
  const rest = chosen.filter((each) => each !== name);
  if (rest.length === chosen.length) return [...chosen, name];
  return rest.length > 0 ? rest : chosen;
}

/** Failed or errored if a job of the group is, else undefined. */
export function groupStatus(jobs: readonly JobSummaryAnswer[], group: string): 'failed' | 'errored' | undefined {
  const own = jobs.filter((job) => !job.paused && job.groups?.includes(group));
  return (['failed', 'errored'] as const).find((status) => own.some((job) => job.finished_build?.status === status));
}

/** The resources that these jobs get or put. Without groups, also those that no job uses. */
export function resourcesOf<R extends { readonly name: string }>(
  resources: readonly R[],
  jobs: readonly JobSummaryAnswer[],
  chosen: readonly string[],
): readonly R[] {
  if (chosen.length === 0) return resources;
  const used = new Set(
    jobs.flatMap(({ inputs = [], outputs = [] }) => [...inputs, ...outputs].map((each) => each.resource)),
  );
  return resources.filter(({ name }) => used.has(name));
}
