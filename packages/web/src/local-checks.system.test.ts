import { whyNoLocalHost } from '@seaplane/local/testing';
import { expect, test } from 'vitest';
import { ApiUser, LocalWeb } from './testing/index.ts';

/** Resources of one repository: each ignores another path, so each has a configuration of its own. */
const RESOURCES = ['a', 'b', 'c', 'd'];

test.skipIf(whyNoLocalHost())(
  '[ROOM26] git repositories are checked side by side, those of two pipelines too, and no check disturbs another',
  { timeout: 120_000 },
  async () => {
    await using local = await LocalWeb.start();
    const fly = await ApiUser.login(local.web.url);
    const resources = RESOURCES.map((name) => {
      const source = { uri: local.repository.url, branch: 'main', ignore_paths: [name] };
      return { name, type: 'git', source };
    });
    const jobs = [{ name: 'job', plan: RESOURCES.map((name) => ({ get: name })) }];
    for (const pipeline of ['one', 'two']) await fly.setPipeline(pipeline, JSON.stringify({ resources, jobs }));
    for (const pipeline of ['one', 'two']) {
      const firstChecks = async () => (await fly.resources(pipeline)).map(({ build }) => build?.status);
      const ended = (statuses: (string | undefined)[]) =>
        statuses.every((status) => status !== undefined && status !== 'pending' && status !== 'started');
      await expect.poll(async () => ended(await firstChecks()), { timeout: 50_000 }).toBe(true);
      expect(await firstChecks()).toEqual(RESOURCES.map(() => 'succeeded'));
    }
  },
);
