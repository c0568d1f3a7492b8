import type { PipelineAnswer } from '@seaplane/api/answers';
import type { JsonObject } from '@seaplane/config/values';

/** The list with `moved` before `target`, or at its end if there is no target. */
export function moveBefore<T>(list: readonly T[], moved: T, target: T | undefined): readonly T[] {
  if (moved === target) return list;
  const rest = list.filter((item) => item !== moved);
  const at = target === undefined ? rest.length : rest.indexOf(target);
  return at < 0 ? list : [...rest.slice(0, at), moved, ...rest.slice(at)];
}

/** The list with `moved` some places further on, as far as there are places. */
export function moveBy<T>(list: readonly T[], moved: T, places: number): readonly T[] {
  const from = list.indexOf(moved);
  const to = Math.max(0, Math.min(list.length - 1, from + places));
  if (from < 0 || from === to) return list;
  return list.toSpliced(from, 1).toSpliced(to, 0, moved);
}

/** The whole in the order in which its shown part was put. The parts that are not shown keep their places. */
export function orderWhole<T>(whole: readonly T[], shown: readonly T[]): readonly T[] {
  const isShown = new Set(shown);
  const next = shown.values();
  return whole.map((item) => (isShown.has(item) ? (next.next().value ?? item) : item));
}

/** The vars of all instances of one name, in the order in which the shown ones were put. Vars of a pipeline without are `{}`. */
export function orderInstances(
  whole: readonly PipelineAnswer[],
  shown: readonly PipelineAnswer[],
): readonly JsonObject[] {
  const names = new Set(shown.map(({ name }) => name));
  const own = whole.filter(({ name }) => names.has(name));
  return orderWhole(own, shown).map(({ instance_vars: vars = {} }) => vars);
}
