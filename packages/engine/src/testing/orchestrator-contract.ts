import { describe, expect, test } from 'vitest';
import type { ArtifactRef, Orchestrator, ResolvedResource, StepImage, StepIo, TaskRequest } from '../seams.ts';
import { Drained, Interruption } from '../walk/interruption.ts';

/**
 * An Orchestrator whose steps behave by their name, which is also the path of a task:
 *
 * - `build` prints `building\n`, writes `ok` into the file `out/file`, and exits with 3.
 * - `serve` prints `serving\n`, runs until it is interrupted, and then prints `stopped\n`.
 * - `absent` cannot be started.
 * - `fetch` is a get whose artifact has the file `ref` with the text `abc`.
 */
export interface OrchestratorUnderTest extends AsyncDisposable {
  /** The orchestrator as the next web has it, after the earlier one has died. */
  open(): Orchestrator;
  readonly image: StepImage;
  /** How many processes of the step were started. */
  starts(stepName: string): number;
}

interface Written {
  stdout: string;
  stderr: string;
}

/** The rules that every Orchestrator keeps (SPEC.md, ENG-ORC). */
export function orchestratorContract(name: string, make: () => Promise<OrchestratorUnderTest>): void {
  const never = new AbortController().signal;

  describe(`${name} as an Orchestrator`, () => {
    test('[ENG-ORC1] a task that fails has its exit status, its output in the log, and its outputs', async () => {
      await using under = await make();
      const written = { stdout: '', stderr: '' };
      const result = await under.open().task(stepIo('build', never, written), taskOf(under, 'build'));
      expect(result.exitStatus).toBe(3);
      expect(written).toEqual({ stdout: 'building\n', stderr: '' });
      const out = result.outputs['out'] as ArtifactRef;
      expect(await textOf(under.open(), out, 'file')).toBe('ok');
      expect(await textOf(under.open(), out, 'none')).toBeUndefined();
    });

    test('[ENG-ORC2] a step that has ended is not started again, and its output comes from the position on', async () => {
      await using under = await make();
      const task = taskOf(under, 'build');
      const first = await under.open().task(stepIo('build', never, { stdout: '', stderr: '' }), task);
      const written = { stdout: 'build', stderr: '' };
      const second = await under.open().task(stepIo('build', never, written), task);
      expect(second).toEqual(first);
      expect(written.stdout).toBe('building\n');
      expect(under.starts('build')).toBe(1);
    });

    test('[ENG-ORC3] a process that cannot be started is an error', async () => {
      await using under = await make();
      const absent = under.open().task(stepIo('absent', never), taskOf(under, 'absent'));
      await expect(absent).rejects.toThrow();
    });

    test('[ENG-ORC4] an interruption ends the process, logs its last output, and leaves the outputs', async () => {
      await using under = await make();
      const { abort, written, ended } = serve(under);
      await expect.poll(() => written.stdout).toBe('serving\n');
      abort.abort(new Interruption('abort'));
      const { exitStatus, outputs } = await ended;
      expect({ exitStatus, outputs: Object.keys(outputs) }).toEqual({ exitStatus: undefined, outputs: ['out'] });
      expect(written.stdout).toBe('serving\nstopped\n');
    });

    test('[ENG-ORC5] a drain leaves the process alone, and a later call attaches to it', async () => {
      await using under = await make();
      const first = serve(under);
      await expect.poll(() => first.written.stdout).toBe('serving\n');
      const drained = new Drained();
      first.abort.abort(drained);
      await expect(first.ended).rejects.toBe(drained);
      const second = serve(under, { ...first.written });
      second.abort.abort(new Interruption('abort'));
      await second.ended;
      expect(second.written.stdout).toBe('serving\nstopped\n');
      expect(under.starts('serve')).toBe(1);
    });

    test('[ENG-ORC6] with a signal that is aborted from the start, nothing is started', async () => {
      await using under = await make();
      for (const reason of [new Interruption('abort'), new Drained()]) {
        const task = under.open().task(stepIo('serve', AbortSignal.abort(reason)), taskOf(under, 'serve'));
        await expect(task).rejects.toBe(reason);
      }
      expect(under.starts('serve')).toBe(0);
    });

    test('[ENG-ORC7] a get leaves an artifact; its cache id depends on type, source, version and params', async () => {
      await using under = await make();
      const resource: ResolvedResource = { type: 'mock', source: { a: 1 }, image: under.image, tags: [], env: {} };
      const request = { ...resource, version: { ref: 'abc' } };
      let plan = 0;
      const get = async (changed: object) => {
        const io = stepIo('fetch', never, { stdout: '', stderr: '' }, `fetch ${++plan}`);
        return (await under.open().get(io, { ...request, ...changed })).result;
      };
      const first = await get({});
      expect(first?.version).toEqual({ ref: 'abc' });
      expect(await textOf(under.open(), first?.artifact as ArtifactRef, 'ref')).toBe('abc');
      expect((await get({}))?.cacheId).toBe(first?.cacheId);
      const others = [{ params: { b: 2 } }, { source: { a: 2 } }, { version: { ref: 'abc', x: '1' } }];
      for (const other of others) expect((await get(other))?.cacheId).not.toBe(first?.cacheId);
    });

    test('[ENG-ORC9] a file that is larger than the caller allows is an error', async () => {
      await using under = await make();
      const { outputs } = await under.open().task(stepIo('build', never), taskOf(under, 'build'));
      const file = (maxBytes: number) => under.open().readFile(outputs['out'] as ArtifactRef, 'file', maxBytes, never);
      expect(Buffer.from((await file(2)) ?? []).toString()).toBe('ok');
      await expect(file(1)).rejects.toThrow();
    });

    test('[ENG-ORC8] an upload that does not exist is undefined', async () => {
      await using under = await make();
      expect(await under.open().findUpload(404)).toBeUndefined();
    });
  });
}

function serve(under: OrchestratorUnderTest, written: Written = { stdout: '', stderr: '' }) {
  const abort = new AbortController();
  const ended = under.open().task(stepIo('serve', abort.signal, written), taskOf(under, 'serve'));
  ended.catch(() => {}); // each test awaits it later
  return { abort, written, ended };
}

function taskOf({ image }: OrchestratorUnderTest, path: string): TaskRequest {
  const outputs = [{ name: 'out', path: 'out' }];
  return {
    image,
    platform: 'linux',
    path,
    outputs,
    tags: [],
    args: [],
    env: {},
    hermetic: false,
    inputs: [],
    caches: [],
  };
}

function stepIo(
  stepName: string,
  signal: AbortSignal,
  written: Written = { stdout: '', stderr: '' },
  planId = stepName,
): StepIo {
  return {
    identity: { buildId: 42, planId, attempt: '', stepName },
    signal,
    output: {
      position: async () => ({ stdout: written.stdout.length, stderr: written.stderr.length }),
      write: async (stream, bytes) => {
        written[stream] += Buffer.from(bytes).toString();
      },
      flush: async () => {},
      restart: async () => {},
    },
    notice: async () => {},
  };
}

async function textOf(orchestrator: Orchestrator, artifact: ArtifactRef, path: string): Promise<string | undefined> {
  const bytes = await orchestrator.readFile(artifact, path, 1024, new AbortController().signal);
  return bytes && Buffer.from(bytes).toString();
}
