import { copyFile, cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildImages } from '@seaplane/dev-images';
import type { Progress } from '@seaplane/dev-toolchain/progress.ts';
import { whyNoPackages } from '@seaplane/dev-toolchain/requirements.ts';
import { buildFly } from '../concourse/fly.ts';
import { makeAccount } from './account.ts';
import type { Host, RunningHost } from './host.ts';
import { SUITE_SETTINGS, startOwnWeb } from './web.ts';

/** Our own web with its steps on this machine, without Kubernetes: as the user who runs the command. */
export const localHost: Host = {
  name: 'local',
  whyNot: whyNotLinux,
  start: (progress, version) => startLocalWeb('local', progress, version),
};

/** The same as an ordinary user with many ids for sandboxes, as `/etc/subuid` and `newuidmap` give them. */
export const localUserHost: Host = ordinary('local-user', 'many');

/** The same as an ordinary user who has only one id. */
export const localOneIdHost: Host = ordinary('local-one-id', 'one');

function ordinary(name: string, ids: 'many' | 'one'): Host {
  return {
    name,
    whyNot() {
      if (process.getuid?.() !== 0) return 'it makes a user of its own for the run, and only root may do that';
      return whyNotLinux() ?? whyNoPackages(ids === 'many' ? ['uidmap'] : []);
    },
    async start(progress, version) {
      const account = await makeAccount(ids, progress);
      try {
        const web = await startLocalWeb(name, progress, version, account);
        return {
          ...web,
          async stop() {
            await web.stop();
            await account[Symbol.asyncDispose]();
          },
        };
      } catch (error) {
        await account[Symbol.asyncDispose]();
        throw error;
      }
    },
  };
}

function whyNotLinux(): string | undefined {
  return process.platform === 'linux' ? undefined : 'steps run in namespaces: it needs Linux';
}

function startLocalWeb(
  host: string,
  progress: Progress,
  version?: string,
  account?: { readonly uid: number; readonly gid: number },
): Promise<RunningHost> {
  const settings = (dataDir: string) => settingsIn(dataDir, progress, version);
  return startOwnWeb(host, settings, progress, account ? { user: account } : {});
}

/** Everything that web reads is copied to its own directory: another user cannot read the cache. */
async function settingsIn(dataDir: string, progress: Progress, version?: string): Promise<Record<string, string>> {
  const [targets, image, fly] = ['targets.json', 'mock.tar', 'fly'].map((name) => join(dataDir, name)) as [
    string,
    string,
    string,
  ];
  const [mock] = await buildImages(['mock'], progress);
  if (mock) await copyFile(mock.archive, image);
  await cp((await buildFly(progress, version)).artifacts, fly, { recursive: true });
  const directory = join(dataDir, 'local'); // where web's own local worker has it: --reset removes it there
  const worker = { kind: 'local', name: 'local', directory, images: { baseTypes: { mock: image } } };
  await writeFile(targets, JSON.stringify([worker]));
  return {
    ...SUITE_SETTINGS,
    SEAPLANE_TARGETS: targets,
    SEAPLANE_FLY_DIR: fly,
    ...(version ? { SEAPLANE_CONCOURSE_VERSION: version } : {}),
  };
}
