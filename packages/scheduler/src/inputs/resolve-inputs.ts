import { assertNever } from '@seaplane/config';
import type { History, InputResolution, Resolution, ResolvableInput } from './history.ts';
import { matchPin } from './match-pin.ts';
import { resolvePassedGroup } from './resolve-passed-group.ts';

/** Finds the version each input of a job would get now (docs/concourse/semantics.md, section 2.1). */
export async function resolveInputs(
  history: History,
  jobId: number,
  inputs: readonly ResolvableInput[],
): Promise<Resolution> {
  const found = new Map<string, InputResolution>();
  let hasNext = false;
  for (const input of inputs.filter(({ passed }) => passed.length === 0)) {
    const { resolution, more } = await resolveAlone(history, jobId, input);
    found.set(input.name, resolution);
    hasNext ||= more;
  }
  for (const group of groupByPassed(inputs.filter(({ passed }) => passed.length > 0))) {
    const { resolutions, more } = await resolvePassedGroup(history, jobId, group);
    for (const [name, resolution] of resolutions) found.set(name, resolution);
    hasNext ||= more;
  }
  return { inputs: found, hasNext };
}

async function resolveAlone(
  history: History,
  jobId: number,
  { resourceId, wanted }: ResolvableInput,
): Promise<{ resolution: InputResolution; more: boolean }> {
  const got = (digest: string): InputResolution => ({ digest, passedBuilds: [] });
  switch (wanted.kind) {
    case 'latest': {
      const digest = await history.latest(resourceId);
      return { resolution: digest ? got(digest) : { error: 'latest version of resource not found' }, more: false };
    }
    case 'every': {
      const next = await history.nextUnused(jobId, resourceId);
      if (!next) return { resolution: { error: 'version of resource not found' }, more: false };
      return { resolution: got(next.digest), more: next.hasNext };
    }
    case 'pinned': {
      const pin = await matchPin(history, resourceId, wanted.fields);
      return { resolution: 'error' in pin ? pin : got(pin.digest), more: false };
    }
    default:
      return assertNever(wanted);
  }
}

/** Inputs that share a passed job, directly or through others, must agree on its builds. */
export function groupByPassed(inputs: readonly ResolvableInput[]): ResolvableInput[][] {
  const groups: { jobs: Set<number>; inputs: ResolvableInput[] }[] = [];
  for (const input of inputs) {
    const touching = groups.filter(({ jobs }) => input.passed.some((job) => jobs.has(job)));
    const merged = {
      jobs: new Set([...touching.flatMap(({ jobs }) => [...jobs]), ...input.passed]),
      inputs: [...touching.flatMap((group) => group.inputs), input],
    };
    for (const group of touching) groups.splice(groups.indexOf(group), 1);
    groups.push(merged);
  }
  return groups.map((group) => group.inputs);
}
