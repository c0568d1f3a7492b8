import { posix } from 'node:path';
import type { Context } from 'hono';
import { BaggageclaimError, otherAttempt } from '../../protocol/baggageclaim-error.ts';
import { ROUTES } from '../../protocol/messages.ts';
import { type App, required, sendBytes, sendTar } from '../http/app.ts';
import { requireRead, requireScope } from '../http/grants.ts';
import { readBody } from '../http/read-body.ts';
import { streamOf } from '../http/stream-of.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { isWithin } from '../trees/is-within.ts';
import { readSmallFile } from '../trees/read-small-file.ts';
import { pack } from '../trees/tar.ts';
import { type OutputSource, outputFrames } from './output.ts';
import { runRequest, signalRequest } from './request-schemas.ts';
import type { Sandbox } from './sandbox.ts';
import type { Volumes } from './volumes.ts';

const FRAMES = 'application/vnd.seaplane.frames';

/** The routes of a sandbox's sidecar. */
export function addSandboxRoutes(app: App, runtime: Runtime, sandbox: Sandbox): void {
  const { processes, control, directories, volumes } = sandbox;
  const source: OutputSource = {
    processes,
    isThere: (id, attempt) => control.isThere(id, attempt),
    dir: directories.output,
  };

  app.post(ROUTES.run, async (c) => {
    requireScope(c.get('grant'), 'run');
    await control.start(await readBody(c, runRequest));
    return c.body(null, 204);
  });

  app.delete(ROUTES.run, async (c) => {
    requireScope(c.get('grant'), 'run');
    await control.forget(required(c, 'id'));
    return c.body(null, 204);
  });

  app.get(ROUTES.output, (c) => {
    requireScope(c.get('grant'), 'run');
    const [id, attempt] = [required(c, 'id'), required(c, 'attempt')];
    const known = processes.attempt(id);
    if (known !== undefined && known !== attempt) throw otherAttempt(id, known, attempt);
    if (!source.isThere(id, attempt)) throw new BaggageclaimError('not-found', `no process ${id} was started here`);
    const request = { id, attempt, stdout: offset(c, 'stdout'), stderr: offset(c, 'stderr') };
    const frames = streamOf((signal) => outputFrames(source, request, signal));
    return c.body(frames, 200, { 'Content-Type': FRAMES });
  });

  app.post(ROUTES.signal, async (c) => {
    requireScope(c.get('grant'), 'run');
    await control.signal(await readBody(c, signalRequest));
    return c.body(null, 204);
  });

  app.get(ROUTES.tree, async (c) => {
    const asked = required(c, 'path');
    requireRead(c.get('grant'), asked);
    return sendTar(c, pack(runtime, await readableDirectory(volumes, asked)));
  });

  app.get(ROUTES.file, async (c) => {
    const directory = required(c, 'path');
    requireRead(c.get('grant'), directory);
    const path = pathBelow(directory, required(c, 'file'));
    return sendBytes(c, await readSmallFile(await volumes.readable(path)));
  });
}

/** Where this server has a directory of the sandbox. */
export async function readableDirectory(volumes: Volumes, asked: string): Promise<string> {
  const { path, kind } = await volumes.readable(asked);
  if (kind !== 'directory') throw new BaggageclaimError('bad-request', `${asked} is not a directory`);
  return path;
}

/** A file that `..` leads out of its directory is not there: a pipeline chooses its name. */
function pathBelow(directory: string, file: string): string {
  const path = posix.join(directory, file);
  if (!isWithin(path, directory)) throw new BaggageclaimError('not-found', `there is no ${file} in ${directory}`);
  return path;
}

function offset(c: Context, name: string): number {
  const value = Number(c.req.query(name) ?? 0);
  if (!Number.isSafeInteger(value) || value < 0) throw new BaggageclaimError('bad-request', `${name} is not an offset`);
  return value;
}
