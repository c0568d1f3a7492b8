import { once } from 'node:events';
import type { Progress } from '@seaplane/dev-toolchain/progress.ts';
import { buildFly } from './concourse/fly.ts';
import type { Host } from './hosts/host.ts';

/** Keeps a host running for use by hand until the signal is aborted. */
export async function serve(host: Host, signal: AbortSignal, progress: Progress): Promise<void> {
  const fly = await buildFly(progress);
  const running = await host.start(progress);
  try {
    console.log(`${host.name} is at ${running.url}`);
    if (running.cannotRun) console.log(`fly cannot use it: ${running.cannotRun}`);
    else console.log(`log in with: ${fly.program} -t ${host.name} login -c ${running.url} -u test -p test`);
    progress('Ctrl-C ends it');
    if (!signal.aborted) await once(signal, 'abort');
  } finally {
    progress(`stopping ${host.name} ...`);
    await running.stop();
  }
}
