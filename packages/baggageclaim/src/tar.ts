import type { Runtime } from './runtime/runtime.ts';

// GNU tar moves bulk bytes an order faster than a library here would. They are not compressed: inside of a cluster that
// costs more time than it saves.

/** What tar says when it has met the two blocks of zeros that end an archive, and not only the end of its input. */
const WHOLE = /\*\* Block of NULs \*\*/;

/** Unpacks a tar stream into a directory; throws if it is broken, with tar's words, or cut short. */
export async function unpack(runtime: Runtime, body: ReadableStream<Uint8Array>, dir: string): Promise<void> {
  const said = await runtime.writeInto(tar(dir, '--extract', '--preserve-permissions', '--block-number'), body);
  if (!WHOLE.test(said)) throw new Error('the archive is cut short');
}

/** Packs a directory while it is read. It fails, rather than ends, if tar does; a reader that leaves ends tar. */
export function pack(runtime: Runtime, dir: string): ReadableStream<Uint8Array> {
  return runtime.readFrom(tar(dir, '--create', '.'));
}

function tar(dir: string, ...args: string[]): string[] {
  return ['tar', '--numeric-owner', '--file=-', `--directory=${dir}`, ...args];
}
