import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BuildPen, Records, SandboxRow } from '../records.ts';

export interface RecordsUnderTest extends AsyncDisposable {
  readonly records: Records;
  readonly teamId: number;
  readonly jobId: number;
  /** A build of the job that has not ended. */
  newBuild(): Promise<number>;
  /** Takes the build's pen. */
  takePen(buildId: number): Promise<BuildPen>;
  endBuild(buildId: number): Promise<void>;
  /** Records that somebody has entered the sandbox. */
  enter(handle: string): Promise<void>;
  /** Records how a step of the build ended; without a plan, the step `1`. */
  endStep(buildId: number, exitStatus: number, planId?: string): Promise<void>;
  /** Gives a recorded artifact the number of an upload of the team. */
  numberUpload(artifactId: string): Promise<number>;
  published(buildId: number): Promise<readonly { readonly name: string; readonly artifactId: string }[]>;
  cacheUses(buildId: number): Promise<readonly { readonly cacheId: string; readonly image: boolean }[]>;
  /** The artifacts that are kept for the build, other than its own. */
  artifactUses(buildId: number): Promise<readonly string[]>;
}

/** The configuration of the caches. */
const OF = { type: 'git', source: {} };

/** The rules that all Records keep (SPEC.md, ORC-REC). */
export function recordsContract(name: string, open: () => Promise<RecordsUnderTest>): void {
  describe(`${name} as Records`, () => {
    let opened: RecordsUnderTest;
    let records: Records;
    beforeAll(async () => {
      opened = await open();
      records = opened.records;
    });
    afterAll(() => opened[Symbol.asyncDispose]());

    const never = () => AbortSignal.timeout(60_000);
    const notWaiting = () => Promise.reject(new Error('waited'));

    async function newSandbox(handle: string): Promise<SandboxRow> {
      const owner = { buildId: await opened.newBuild(), planId: '1' };
      const labels = { type: 'task', team: 'main', step: 'unit' } as const;
      return { handle, worker: 'w1', owner, labels, workingDirectory: '/tmp/build/1', user: 'root' };
    }

    async function newArtifact(id: string): Promise<string> {
      await records.recordArtifact({ id, worker: 'w1', stored: true });
      return id;
    }

    test('[ORC-REC1] a sandbox is recorded once: later rows are dropped, and the first is returned', async () => {
      const row = await newSandbox('once');
      expect(await records.recordSandbox(row)).toEqual(row);
      const other = { ...row, worker: 'w2', workingDirectory: '/', user: 'me', labels: { ...row.labels, step: 'x' } };
      expect(await records.recordSandbox(other)).toEqual(row);
      const { owner: _, ...shared } = { ...row, handle: 'shared' };
      expect(await records.recordSandbox(shared)).toEqual(shared);
    });

    test('[ORC-REC2] a sandbox is found with its worker and state; an unknown one is not', async () => {
      const row = await newSandbox('state');
      const pen = await opened.takePen(row.owner?.buildId ?? 0);
      await records.recordSandbox(row);
      expect(await records.findSandbox('state')).toEqual({ worker: 'w1', state: 'creating' });
      await records.markSandboxFailed('state', 'no image');
      expect(await records.findSandbox('state')).toEqual({ worker: 'w1', state: 'failed' });
      expect(await records.markSandboxCreated('state', 'nobody', pen)).toBe(true);
      expect(await records.findSandbox('state')).toEqual({ worker: 'w1', state: 'created' });
      expect((await records.recordSandbox(row)).user).toBe('nobody');
      expect(await records.markSandboxCreated('unknown', '', pen)).toBe(false);
      await records.markSandboxFailed('unknown', 'lost');
      await records.recordSandboxUse('unknown');
      expect(await records.findSandbox('unknown')).toBeUndefined();
    });

    /** A sandbox in which a process was started. */
    async function startedSandbox(handle: string, worker: string): Promise<number> {
      const row = { ...(await newSandbox(handle)), worker };
      const buildId = row.owner?.buildId ?? 0;
      await records.recordSandbox(row);
      await records.markSandboxCreated(handle, 'root', await opened.takePen(buildId));
      return buildId;
    }

    test('[ORC-REC13] finished sandboxes are found in the order in which they may go', async () => {
      const [red, green, other, running] = [
        await startedSandbox('red', 'full'),
        await startedSandbox('green', 'full'),
        await startedSandbox('of a running build', 'full'),
        await startedSandbox('running', 'full'),
      ];
      expect(await records.findFinishedSandboxes('full', running)).toEqual([]);
      const later = { ...(await newSandbox('later')), owner: { buildId: red, planId: '2' }, worker: 'full' };
      await records.recordSandbox(later);
      await records.markSandboxCreated('later', 'root', await opened.takePen(red));
      await opened.endStep(red, 1);
      await opened.endStep(red, 0, '2');
      expect(await records.findFinishedSandboxes('full', red)).toEqual(['later', 'red']);
      await opened.endStep(green, 0);
      await opened.endStep(other, 0);
      expect(await records.findFinishedSandboxes('full', running)).toEqual([]);
      await opened.endBuild(red);
      await opened.endBuild(green);
      expect(await records.findFinishedSandboxes('full', other)).toEqual([
        'of a running build',
        'red',
        'later',
        'green',
      ]);
      expect(await records.findFinishedSandboxes('full', running)).toEqual(['red', 'later', 'green']);
      expect(await records.findFinishedSandboxes('elsewhere', running)).toEqual([]);
    });

    test('[ORC-REC13] a sandbox is claimed when its step has ended and its wanted artifacts are stored', async () => {
      const buildId = await startedSandbox('claimed', 'w1');
      const sandbox = { handle: 'claimed', path: '/tmp/build/1/out' };
      await records.recordArtifact({ id: 'claimed-out', worker: 'w1', sandbox, stored: false });
      expect(await records.claimFinishedSandbox('claimed')).toBe(false);
      await opened.endStep(buildId, 0);
      expect(await records.findWantedArtifacts('claimed')).toEqual([{ id: 'claimed-out', teamId: opened.teamId }]);
      expect(await records.claimFinishedSandbox('claimed')).toBe(false);
      await records.markArtifactStored('claimed-out');
      expect(await records.findWantedArtifacts('claimed')).toEqual([]);
      expect(await records.claimFinishedSandbox('claimed')).toBe(true);
      expect(await records.findSandbox('claimed')).toEqual({ worker: 'w1', state: 'destroying' });
      expect(await records.claimFinishedSandbox('claimed')).toBe(false);
      expect(await records.claimFinishedSandbox('unknown')).toBe(false);
    });

    test('[ORC-REC13] after a build has ended, only caches and published artifacts are wanted', async () => {
      const buildId = await startedSandbox('ended', 'w1');
      for (const name of ['plain', 'cached', 'published']) {
        const sandbox = { handle: 'ended', path: `/tmp/build/1/${name}` };
        await records.recordArtifact({ id: `ended-${name}`, worker: 'w1', sandbox, stored: false });
      }
      const cached = { cacheId: 'ended-cache', artifactId: 'ended-cached', version: { a: '1' }, metadata: [] };
      await records.saveCache(cached, OF);
      await records.publishArtifact(buildId, 'out', 'ended-published');
      await opened.endBuild(buildId);
      const wanted = (await records.findWantedArtifacts('ended')).map(({ id }) => id);
      expect(wanted.sort()).toEqual(['ended-cached', 'ended-published']);
    });

    test('[ORC-REC10] a step’s sandbox that was created never fails; one that checks share may', async () => {
      const row = await newSandbox('was created');
      const pen = await opened.takePen(row.owner?.buildId ?? 0);
      const { owner: _, ...shared } = { ...row, handle: 'shared by checks' };
      for (const each of [row, shared]) {
        await records.recordSandbox(each);
        await records.markSandboxCreated(each.handle, 'root', pen);
        await records.markSandboxFailed(each.handle, 'evicted');
      }
      expect(await records.findSandbox(row.handle)).toEqual({ worker: 'w1', state: 'created' });
      expect(await records.findSandbox(shared.handle)).toEqual({ worker: 'w1', state: 'failed' });
    });

    test('[ORC-REC11] a web whose build was taken over or has ended may not start a process', async () => {
      const row = await newSandbox('fenced');
      const buildId = row.owner?.buildId ?? 0;
      await records.recordSandbox(row);
      const slept = await opened.takePen(buildId);
      const pen = await opened.takePen(buildId);
      expect(await records.markSandboxCreated('fenced', 'root', slept)).toBe(false);
      expect(await records.findSandbox('fenced')).toEqual({ worker: 'w1', state: 'creating' });
      expect(await records.markSandboxCreated('fenced', 'root', pen)).toBe(true);
      await opened.endBuild(buildId);
      expect(await records.markSandboxCreated('fenced', 'root', pen)).toBe(false);
    });

    test('[ORC-REC3] an artifact is recorded once; that it is stored is learned later', async () => {
      await records.recordSandbox(await newSandbox('maker'));
      const row = { id: 'a', worker: 'w1', sandbox: { handle: 'maker', path: '/out' }, stored: false };
      await records.recordArtifact(row);
      await records.recordArtifact({ ...row, worker: 'w2' });
      expect(await records.findArtifact('a')).toMatchObject(row);
      await records.recordArtifact({ ...row, worker: 'w2', stored: true });
      expect(await records.findArtifact('a')).toMatchObject({ ...row, stored: true });
      await records.recordArtifact({ ...row, id: 'b' });
      await records.markArtifactStored('b');
      expect(await records.findArtifact('b')).toMatchObject({ ...row, id: 'b', stored: true });
      await records.markArtifactStored('unknown');
      expect(await records.findArtifact('unknown')).toBeUndefined();
    });

    test('[ORC-REC14] the workers that have a copy of an artifact are found with it', async () => {
      const id = await newArtifact('copied');
      for (const worker of ['w3', 'w2', 'w2']) await records.recordArtifactCopy(id, worker);
      await records.recordArtifactCopy('unknown', 'w2');
      expect(await records.findArtifact(id)).toMatchObject({ worker: 'w1', copies: ['w2', 'w3'] });
      expect(await records.findArtifact('unknown')).toBeUndefined();
    });

    test('[ORC-REC12] an artifact is untouched if it was stored before anybody entered its sandbox', async () => {
      const sandbox = await newSandbox('entered');
      await records.recordSandbox(sandbox);
      const made = { worker: 'w1', sandbox: { handle: 'entered', path: '/out' }, stored: false };
      const found = async (id: string) => {
        const { buildId, stored, untouched } = (await records.findArtifact(id)) ?? {};
        return { buildId, stored, untouched };
      };
      for (const id of ['before', 'after']) await records.recordArtifact({ ...made, id });
      const { buildId } = sandbox.owner ?? {};
      expect(await found('before')).toEqual({ buildId, stored: false, untouched: false });
      await records.markArtifactStored('before');
      await opened.enter('entered');
      for (const id of ['before', 'after']) await records.markArtifactStored(id);
      expect(await found('before')).toEqual({ buildId, stored: true, untouched: true });
      expect(await found('after')).toEqual({ buildId, stored: true, untouched: false });
      await records.markArtifactLost('before');
      expect(await found('before')).toEqual({ buildId, stored: false, untouched: false });
      await records.markArtifactStored('before');
      expect(await found('before')).toEqual({ buildId, stored: true, untouched: false });
      // Nobody knows any more whether somebody was in its sandbox.
      await records.recordArtifact({ ...made, id: 'orphan', sandbox: { handle: 'gone', path: '/out' } });
      await records.markArtifactStored('orphan');
      expect(await found('orphan')).toEqual({ buildId: undefined, stored: true, untouched: false });
    });

    test('[ORC-REC4] an upload is found by its number, by its own team alone', async () => {
      const number = await opened.numberUpload(await newArtifact('uploaded'));
      const { teamId } = opened;
      const [id, other] = [await opened.newBuild(), await opened.newBuild()];
      expect(await records.findUploadedArtifact(number, { id, teamId })).toBe('uploaded');
      expect(await records.findUploadedArtifact(number, { id: other, teamId: teamId + 1 })).toBeUndefined();
      expect(await records.findUploadedArtifact(number + 1, { id: other, teamId })).toBeUndefined();
      expect(await opened.artifactUses(id)).toEqual(['uploaded']);
      expect(await opened.artifactUses(other)).toEqual([]);
    });

    test('[ORC-REC5] a build publishes one artifact under a name: the last', async () => {
      const buildId = await opened.newBuild();
      for (const id of ['p1', 'p2', 'p3']) await newArtifact(id);
      await records.publishArtifact(buildId, 'out', 'p1');
      await records.publishArtifact(buildId, 'other', 'p2');
      await records.publishArtifact(buildId, 'out', 'p3');
      expect(await opened.published(buildId)).toEqual([
        { name: 'other', artifactId: 'p2' },
        { name: 'out', artifactId: 'p3' },
      ]);
      expect(await opened.published(await opened.newBuild())).toEqual([]);
    });

    test('[ORC-REC6] a cache is found under its id; a later one replaces it', async () => {
      for (const id of ['c1', 'c2']) await newArtifact(id);
      const metadata = [{ name: 'commit', value: 'abc' }];
      const row = { cacheId: 'cache', artifactId: 'c1', version: { ref: '1' }, metadata };
      const buildId = await opened.newBuild();
      expect(await records.findCache('cache', buildId)).toBeUndefined();
      await records.saveCache(row, OF);
      expect(await records.findCache('cache', buildId)).toEqual(row);
      await records.saveCache({ ...row, artifactId: 'c2', metadata: [] }, OF);
      expect(await records.findCache('cache', buildId)).toEqual({ ...row, artifactId: 'c2', metadata: [] });
      // A step of the build may still read the directory that it found first.
      expect(await opened.artifactUses(buildId)).toEqual(['c1', 'c2']);
      expect(await opened.cacheUses(buildId)).toEqual([{ cacheId: 'cache', image: false }]);
    });

    test('[ORC-REC7] a build uses a cache once; as an image if a step ran from it; a cache that is gone not at all', async () => {
      const [buildId, other] = [await opened.newBuild(), await opened.newBuild()];
      for (const id of ['u1', 'u2']) {
        await newArtifact(id);
        await records.saveCache({ cacheId: `use-${id}`, artifactId: id, version: {}, metadata: [] }, OF);
      }
      for (const cacheId of ['use-u1', 'use-u1', 'use-u2', 'gone']) await records.recordCacheUse(cacheId, buildId);
      await records.recordImageUse('u2', buildId);
      await records.recordCacheUse('use-u2', buildId);
      await records.recordImageUse('a directory of no cache', buildId);
      await records.recordImageUse('u1', other);
      expect(await opened.cacheUses(buildId)).toEqual([
        { cacheId: 'use-u1', image: false },
        { cacheId: 'use-u2', image: true },
      ]);
      expect(await opened.cacheUses(other)).toEqual([{ cacheId: 'use-u1', image: true }]);
    });

    test('[ORC-REC8] one action holds the lock of a cache at a time; one that waits is told so once', async () => {
      const buildId = await opened.newBuild();
      let inside = 0;
      const waits: number[] = [];
      const enter = (n: number) =>
        records.withLock(
          'cache',
          'one-at-a-time',
          never(),
          async () => void waits.push(n),
          async () => {
            inside++;
            await records.findCache('one-at-a-time', buildId);
            return inside--;
          },
        );
      expect(await Promise.all([1, 2, 3].map(enter))).toEqual([1, 1, 1]);
      expect(waits.length).toBe(2);
      expect(new Set(waits).size).toBe(2);
    });

    test('[ORC-REC8] a lock is free again after its action, even a failed one; other caches have other locks', async () => {
      const failing = () => Promise.reject(new Error('fetch failed'));
      await expect(records.withLock('cache', 'freed', never(), notWaiting, failing)).rejects.toThrow('fetch failed');
      const both = records.withLock('cache', 'freed', never(), notWaiting, () =>
        records.withLock('cache', 'another', never(), notWaiting, async () => 'both'),
      );
      expect(await both).toBe('both');
    });

    test('[ORC-REC8] an action that does not wait for its lock runs only if the lock is free', async () => {
      const attempt = () => records.withFreeLock('sandbox', 'tried', async () => 'ran');
      expect(await records.withLock('sandbox', 'tried', never(), notWaiting, attempt)).toBeUndefined();
      expect(await records.withLock('cache', 'tried', never(), notWaiting, attempt)).toBe('ran');
      expect(await attempt()).toBe('ran');
    });

    test('[ORC-REC17] sandboxes in which checks take turns are found by their last use, and can be claimed', async () => {
      for (const [handle, config] of Object.entries({ 'turn-1': 1, 'turn-2': 2, shared: undefined })) {
        const { owner: _, ...row } = { ...(await newSandbox(handle)), worker: 'checks' };
        await records.recordSandbox(config === undefined ? row : { ...row, config });
      }
      await records.recordSandboxUse('turn-2');
      await records.recordSandboxUse('turn-1');
      expect(await records.findCheckSandboxes('checks')).toEqual(['turn-2', 'turn-1']);
      expect(await records.claimCheckSandbox('turn-2')).toBe(true);
      expect(await records.claimCheckSandbox('turn-2')).toBe(false);
      expect(await records.claimCheckSandbox('shared')).toBe(false);
      expect(await records.findCheckSandboxes('checks')).toEqual(['turn-1']);
      const { owner: _, ...again } = { ...(await newSandbox('turn-2')), worker: 'checks' };
      await records.recordSandbox({ ...again, config: 2 });
      expect(await records.findSandbox('turn-2')).toMatchObject({ state: 'creating' });
    });

    test('[ORC-REC8] a signal ends the wait for a lock, and the action does not run', async () => {
      const stop = new AbortController();
      const onWait = async () => stop.abort(new Error('enough'));
      await records.withLock('cache', 'held', never(), notWaiting, async () => {
        const waiting = records.withLock('cache', 'held', stop.signal, onWait, async () => 'ran');
        await expect(waiting).rejects.toThrow('enough');
      });
    });

    test('[ORC-REC9] a task cache belongs to a job, step, path and worker; the last one saved is found', async () => {
      const key = { jobId: opened.jobId, stepName: 'unit', path: 'cache', worker: 'w1' };
      for (const id of ['t1', 't2']) await newArtifact(id);
      const buildId = await opened.newBuild();
      expect(await records.findTaskCache(key, buildId)).toBeUndefined();
      await records.saveTaskCache(key, 't1');
      await records.saveTaskCache(key, 't2');
      expect(await records.findTaskCache(key, buildId)).toBe('t2');
      expect(await opened.artifactUses(buildId)).toEqual(['t2']);
      for (const change of [{ jobId: opened.jobId + 1 }, { stepName: 'x' }, { path: 'x' }, { worker: 'w2' }])
        expect(await records.findTaskCache({ ...key, ...change }, buildId)).toBeUndefined();
      expect(await records.findTaskCacheWorkers(key, ['cache', 'other'])).toEqual(['w1']);
      expect(await records.findTaskCacheWorkers(key, ['other'])).toEqual([]);
    });

    test('[ORC-REC15] a worker’s load counts active tasks, sandboxes and artifacts', async () => {
      const load = async () => (await records.findWorkerLoads(['loaded', 'idle'])).get('loaded');
      const none = { tasks: 0, sandboxes: 0, buildSandboxes: 0, artifacts: 0 };
      expect([...(await records.findWorkerLoads(['loaded', 'idle']))]).toEqual([
        ['loaded', none],
        ['idle', none],
      ]);
      const [first, second] = [await startedSandbox('task-1', 'loaded'), await startedSandbox('task-2', 'loaded')];
      const { owner: _, ...shared } = { ...(await newSandbox('warm')), worker: 'loaded' };
      await records.recordSandbox({ ...shared, labels: { ...shared.labels, type: 'check' } });
      await records.recordArtifact({ id: 'kept', worker: 'loaded', stored: true });
      await records.recordArtifact({ id: 'not-kept', worker: 'loaded', stored: false });
      await records.recordArtifact({ id: 'brought', worker: 'idle', stored: true });
      await records.recordArtifactCopy('brought', 'loaded');
      expect(await load()).toEqual({ tasks: 2, sandboxes: 3, buildSandboxes: 2, artifacts: 2 });
      await records.markStepEnded('task-1');
      expect(await load()).toMatchObject({ tasks: 1, sandboxes: 3 });
      await opened.endStep(second, 0);
      expect(await load()).toMatchObject({ tasks: 0, sandboxes: 3 });
      await opened.endStep(first, 0);
      expect(await records.claimFinishedSandbox('task-1')).toBe(true);
      expect(await load()).toMatchObject({ sandboxes: 2, buildSandboxes: 1 });
    });

    test('[ORC-REC16] only as many steps are recorded on a worker as its limits allow, also at the same time', async () => {
      const rows = await Promise.all(
        ['a', 'b', 'c'].map(async (name) => ({ ...(await newSandbox(`within-${name}`)), worker: 'limited' })),
      );
      const taken = await Promise.all(rows.map((row) => records.recordSandboxWithin(row, { tasks: 2 })));
      const held = taken.filter((row) => row !== undefined);
      expect(held).toHaveLength(2);
      const [first] = held as [SandboxRow, SandboxRow];
      expect(await records.recordSandboxWithin(first, { tasks: 2 })).toEqual(first);
      const refused = rows.find((row) => !held.some(({ handle }) => handle === row.handle)) as SandboxRow;
      expect(await records.findSandbox(refused.handle)).toBeUndefined();
      expect(await records.recordSandboxWithin(refused, { sandboxes: 2 })).toBeUndefined();
      await records.markStepEnded(first.handle);
      expect(await records.recordSandboxWithin(refused, { tasks: 2 })).toEqual(refused);
      await records.recordArtifact({ id: 'limited', worker: 'limited', stored: true });
      const another = { ...(await newSandbox('within-d')), worker: 'limited' };
      expect(await records.recordSandboxWithin(another, { artifacts: 1 })).toBeUndefined();
      expect(await records.recordSandboxWithin(another, { artifacts: 2 })).toEqual(another);
    });
  });
}
