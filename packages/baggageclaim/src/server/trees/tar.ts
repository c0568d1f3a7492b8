import { type Ended, failure, type Runtime } from '../runtime/runtime.ts';

// GNU tar moves bulk bytes an order faster than a library here would. They are not compressed: inside of a cluster that
// costs more time than it saves.

/** What tar says when it has met the two blocks of zeros that end an archive, and not only the end of its input. */
const WHOLE = /\*\* Block of NULs \*\*/;

/** What tar says of a file that is whole, but whose owner is not to be had here. The last line sums up. */
const FOREIGN_OWNER =
  /: Cannot change ownership to uid \d+, gid \d+: (Invalid argument|Operation not permitted)$|^tar: Exiting with failure/;

/** Unpacks a tar stream into a directory; throws if it is broken, with tar's words, or cut short. */
export async function unpack(runtime: Runtime, body: ReadableStream<Uint8Array>, dir: string): Promise<void> {
  const command = tar(dir, '--extract', '--preserve-permissions', '--block-number');
  const ended = await runtime.writeInto(command, body);
  if (ended.code !== 0 && !hasOnlyForeignOwners(ended)) throw failure(command, ended);
  if (!WHOLE.test(ended.said)) throw new Error('the archive is cut short');
}

/**
 * A sandbox has 65,536 users where it has a namespace of its own, and a developer's number may be a million; one without
 * capabilities has only itself. What belongs to others then belongs to root.
 */
function hasOnlyForeignOwners({ code, complaint }: Ended): boolean {
  return (
    code === 2 &&
    complaint
      .trim()
      .split('\n')
      .every((line) => FOREIGN_OWNER.test(line))
  );
}

/** Packs a directory while it is read. It fails, rather than ends, if tar does; a reader that leaves ends tar. */
export function pack(runtime: Runtime, dir: string): ReadableStream<Uint8Array> {
  return runtime.readFrom(tar(dir, '--create', '.'));
}

function tar(dir: string, ...args: string[]): string[] {
  return ['tar', '--numeric-owner', '--file=-', `--directory=${dir}`, ...args];
}
