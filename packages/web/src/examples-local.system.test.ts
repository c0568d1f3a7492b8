import { whyNoLocalHost } from '@seaplane/local/testing';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ApiUser } from './testing/api-user.ts';
import { EXAMPLES, runExample } from './testing/examples.ts';
import { LocalWeb } from './testing/local-web.ts';
import { readExample } from './testing/read-example.ts';

vi.setConfig({ testTimeout: 900_000, hookTimeout: 900_000 });

describe.skipIf(whyNoLocalHost())('examples on the local worker', () => {
  let local: LocalWeb;
  let user: ApiUser;

  beforeAll(async () => {
    local = await LocalWeb.start();
    user = await ApiUser.login(local.web.url);
  });

  afterAll(() => local[Symbol.asyncDispose]());

  test.each(EXAMPLES)('[EXAMPLES1] $name', async (example) => {
    const { repository } = local;
    await runExample(user, example, await readExample(example.name, { repository: repository.url, branch: 'main' }));
    if (example.name === 'git-test-publish') expect(repository.commitOf('published')).toBe(repository.commitOf('main'));
  });
});
