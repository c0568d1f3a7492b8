import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TemporaryDirectory, temporaryDirectory } from '@seaplane/db/testing';

import { whyNoLocalHost } from '@seaplane/local/testing';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { resetLocal } from './boot/host-kinds.ts';
import { ApiUser } from './testing/api-user.ts';
import { EXAMPLES, readExample, runExample } from './testing/examples.ts';
import { GitDaemon } from './testing/git-daemon.ts';
import { freePort, RunningWeb } from './testing/running-web.ts';

vi.setConfig({ testTimeout: 900_000, hookTimeout: 900_000 });

describe.skipIf(whyNoLocalHost())('examples on the local worker', () => {
  let temporary: TemporaryDirectory;
  let daemon: GitDaemon;
  let web: RunningWeb;
  let user: ApiUser;

  beforeAll(async () => {
    temporary = await temporaryDirectory();
    daemon = await GitDaemon.start(temporary.path, '127.0.0.1');
    const images = { baseTypes: { git: 'builtin:git', time: 'builtin:time' } };
    const target = { kind: 'local', name: 'here', directory: join(temporary.path, 'local'), images };
    const targetsFile = join(temporary.path, 'targets.json');
    await writeFile(targetsFile, JSON.stringify([target]));
    web = await RunningWeb.start({ port: await freePort(), dataDir: join(temporary.path, 'data'), targetsFile });
    user = await ApiUser.login(web.url);
  });

  afterAll(async () => {
    await web[Symbol.asyncDispose]();
    await daemon[Symbol.asyncDispose]();
    await resetLocal(join(temporary.path, 'local'));
    await temporary[Symbol.asyncDispose]();
  });

  test.each(EXAMPLES)('[EXAMPLES1] $name', async (example) => {
    await runExample(user, example, await readExample(example.name, { repository: daemon.url, branch: 'main' }));
    if (example.name === 'git-test-publish') expect(daemon.commitOf('published')).toBe(daemon.commitOf('main'));
  });
});
