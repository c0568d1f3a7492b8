import { compileGlob } from '../pipeline/glob.ts';
import { indexNames } from '../pipeline/name-index.ts';
import type { PipelineConfig } from '../pipeline/pipeline.ts';
import { checkItemName, itemName, noMistakes, type SectionMistakes } from './section.ts';

/** Every pattern must match a job. If there are groups, every job must be in one. */
export function validateGroups(config: PipelineConfig): SectionMistakes {
  const mistakes = noMistakes();
  const times = new Map<string, number>();
  const grouped = new Set<string>();
  const known = {
    jobs: new Set(config.jobs.map((job) => job.name)),
    resources: new Set(config.resources.map((r) => r.name)),
  };
  const names = indexNames(known.jobs);
  for (const [index, { name, jobs = [], resources = [] }] of config.groups.entries()) {
    checkItemName(mistakes, name, itemName('groups', index, name));
    times.set(name, (times.get(name) ?? 0) + 1);
    for (const pattern of jobs) {
      const glob = compileGlob(pattern);
      if (glob === undefined) {
        mistakes.errors.push(`invalid glob expression '${pattern}' for group '${name}'`);
        continue;
      }
      const matching = known.jobs.has(pattern) ? [pattern] : names.candidates(glob).filter((job) => glob.test(job));
      if (matching.length === 0) mistakes.errors.push(`no jobs match '${pattern}' for group '${name}'`);
      for (const job of matching) grouped.add(job);
    }
    for (const resource of resources) {
      if (known.resources.has(resource)) continue;
      mistakes.errors.push(`group '${name}' has unknown resource '${resource}'`);
    }
  }
  for (const [name, count] of times) {
    if (count === 1) continue;
    mistakes.errors.push(`group '${name}' appears ${count} times. Duplicate names are not allowed.`);
  }
  if (config.groups.length === 0) return mistakes;
  for (const name of known.jobs) {
    if (!grouped.has(name)) mistakes.errors.push(`job '${name}' belongs to no group`);
  }
  return mistakes;
}
