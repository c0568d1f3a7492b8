import { expect } from 'vitest';
import type { ApiUser } from './api-user.ts';

/** A pipeline of the folder `examples`, and what its last job shows. */
interface Example {
  readonly name: string;
  /** Its last job. Where there is a resource, new versions trigger the jobs; otherwise somebody must. */
  readonly job: string;
  readonly triggered: boolean;
  readonly shows: readonly string[];
  readonly hides?: readonly string[];
}

export const EXAMPLES: readonly Example[] = [
  { name: 'hello', job: 'hello', triggered: false, shows: ['Hello from the first step!'] },
  { name: 'git-test-publish', job: 'publish', triggered: true, shows: [] },
  {
    name: 'matrix',
    job: 'matrix',
    triggered: false,
    shows: [1, 2].flatMap((n) => ['small', 'large'].map((size) => `with a ${size} input, ${n} time(s)`)),
  },
  {
    name: 'image',
    job: 'image',
    triggered: false,
    shows: ['Hello from an image that a task has made.', 'This file is in the image.'],
  },
  { name: 'fan-in', job: 'ship', triggered: true, shows: ['unit and lint have passed with this version'] },
  {
    name: 'secrets',
    job: 'deploy',
    triggered: false,
    shows: ['logging in as ((redacted)) with the password ((redacted))'],
    hides: ['correct-horse-battery'],
  },
];

/** Sets an example, waits for the end of its last job's first build, and checks what that shows. */
export async function runExample(user: ApiUser, { name, job, triggered, shows, hides = [] }: Example, yaml: string) {
  await user.setPipeline(name, yaml);
  const first = async () => (await user.builds(name, job)).at(-1)?.id;
  if (triggered) await expect.poll(first, { timeout: 240_000 }).toBeDefined();
  const build = triggered ? ((await first()) as number) : await user.trigger(name, job);
  const log = await user.log(build, AbortSignal.timeout(240_000));
  expect({ log, status: await user.status(build) }).toMatchObject({ status: 'succeeded' });
  for (const text of shows) expect(log).toContain(text);
  for (const text of hides) expect(log).not.toContain(text);
}
