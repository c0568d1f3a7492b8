import type { PipelineAnswer } from '@seaplane/api/answers';

/** One pipeline, or all instances of one name. */
export type Grouped<T> =
  | { readonly kind: 'single'; readonly item: T }
  | { readonly kind: 'group'; readonly name: string; readonly team: string; readonly items: readonly T[] };

/** Puts the instances of each name together, where the first one stands. The items are of one team. */
export function groupInstances<T>(
  items: readonly T[],
  pipelineOf: (item: T) => Pick<PipelineAnswer, 'name' | 'team_name' | 'instance_vars'>,
): readonly Grouped<T>[] {
  const groups = Map.groupBy(
    items.filter((item) => pipelineOf(item).instance_vars !== undefined),
    (item) => pipelineOf(item).name,
  );
  return items.flatMap((item): Grouped<T>[] => {
    const { name, team_name: team, instance_vars: vars } = pipelineOf(item);
    const group = vars === undefined ? undefined : groups.get(name);
    if (!group) return [{ kind: 'single', item }];
    return group[0] === item ? [{ kind: 'group', name, team, items: group }] : [];
  });
}
