import { spawnSync } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stderrProgress } from '@seaplane/dev-toolchain/progress.ts';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { leftovers, removeLeftovers } from '../down.ts';
import { layoutOf } from '../layout.ts';
import { namespacesOf, processesOf } from '../testing/machine-snapshot.ts';
import { installHostPackages } from './host-packages.ts';
import { findInit, insideOf, recordInit, startInit } from './namespaces.ts';
import { recordedPid, startRecorded } from './recorded-process.ts';
import { whyNoCluster } from './requirements.ts';

/** One of those that developers do not use. */
const INDEX = 8;
const layout = layoutOf(INDEX);

describe.skipIf(whyNoCluster() !== undefined)('namespaces of a cluster', () => {
  beforeAll(() => installHostPackages(stderrProgress('cluster test')));

  beforeEach(async () => {
    await removeLeftovers(layout);
    for (const name of ['log', 'pid']) await mkdir(join(layout.state, name), { recursive: true });
  });
  afterEach(() => removeLeftovers(layout));

  test('[CL9] an up that is killed before they are complete leaves none that down does not find', async () => {
    const program = `
      import { layoutOf } from ${JSON.stringify(join(import.meta.dirname, '../layout.ts'))};
      import { startInit } from ${JSON.stringify(join(import.meta.dirname, 'namespaces.ts'))};
      console.log((await startInit(layoutOf(${INDEX}))).pid);
      process.kill(process.pid, 'SIGKILL');`;
    const killed = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
    expect(killed.signal).toBe('SIGKILL');
    const namespaces = await namespacesOf(Number(killed.stdout));
    const trace = { namespaces, cgroup: layout.cgroup };
    expect((await processesOf(trace)).length).toBeGreaterThan(0);
    expect(await findInit(layout)).toBeUndefined(); // the next `up` starts a fresh one

    await removeLeftovers(layout);
    // Dead at once; but their parent died before them, and the machine's init may take its time to reap.
    await expect.poll(() => processesOf(trace), { timeout: 30_000 }).toEqual([]);
    expect(await leftovers(INDEX)).toEqual([]);
  });

  test('[CL10] down ends a cluster one of whose components somebody has stopped', async () => {
    const init = await startInit(layout);
    await recordInit(layout, init);
    const trace = { namespaces: await namespacesOf(init.pid), cgroup: layout.cgroup };
    await startRecorded(layout, 'sleeper', [...insideOf(init), 'sh', '-c', `sleep 60; : ${layout.state}`]);
    const waiting = await recordedPid(layout, 'sleeper');
    const stateOf = (pid: number) => readFile(`/proc/${pid}/status`, 'utf8');
    const children = async () => (await readFile(`/proc/${waiting}/task/${waiting}/children`, 'utf8')).trim();
    await expect.poll(children, { timeout: 10_000 }).not.toBe('');
    process.kill(Number(await children()), 'SIGSTOP');
    await expect.poll(() => stateOf(waiting ?? 0), { timeout: 10_000 }).toMatch(/^State:\tT/m);
    await removeLeftovers(layout);
    await expect.poll(() => processesOf(trace), { timeout: 30_000 }).toEqual([]);
  });

  test('[CL9] a program has written its pid down before it runs', async () => {
    await startRecorded(layout, 'sleeper', ['sh', '-c', `sleep 60; : ${layout.state}`]);
    const pid = await recordedPid(layout, 'sleeper');
    if (!pid) throw new Error('it does not run');
    process.kill(-pid, 'SIGKILL');
    await expect.poll(() => recordedPid(layout, 'sleeper')).toBeUndefined();
  });
});
