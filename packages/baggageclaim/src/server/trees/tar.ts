import { type Ended, failure, type Runtime } from '../runtime/runtime.ts';
import { TarEnd } from './tar-end.ts';

// GNU tar is an order of magnitude faster than a library would be here. Streams are not compressed: inside of a cluster
// that costs more time than it saves.

/** The program that packs and unpacks. macOS has no GNU tar. */
export type TarProgram = 'gnu' | 'bsd';
const HERE: TarProgram = process.platform === 'darwin' ? 'bsd' : 'gnu';

/** tar prints this at the two blocks of zeros that end an archive. It does not when its input merely ends. */
const WHOLE = /\*\* Block of NULs \*\*/;

/** tar prints this for a whole file whose owner cannot be set here. The second form is its summary line. */
const FOREIGN_OWNER =
  /: Cannot change ownership to uid \d+, gid \d+: (Invalid argument|Operation not permitted)$|^tar: Exiting with failure/;

/** Unpacks a tar stream into a directory. Throws tar's message if the stream is broken, and also if it is cut short. */
export async function unpack(
  runtime: Runtime,
  body: ReadableStream<Uint8Array>,
  dir: string,
  program = HERE,
): Promise<void> {
  if (program === 'bsd') return unpackByBsd(runtime, body, dir);
  const command = tar(dir, '--extract', '--preserve-permissions', '--block-number');
  const ended = await runtime.writeInto(command, body);
  if (ended.code !== 0 && !hasOnlyForeignOwners(ended)) throw failure(command, ended);
  if (!WHOLE.test(ended.stdout)) throw new Error('the archive is cut short');
}

/** This tar does not tell a whole archive from one that was cut between two files. */
async function unpackByBsd(runtime: Runtime, body: ReadableStream<Uint8Array>, dir: string): Promise<void> {
  const command = ['bsdtar', '-x', '-p', '--numeric-owner', '-f', '-', '-C', dir];
  const end = new TarEnd();
  const followed = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      end.feed(chunk);
      controller.enqueue(chunk);
    },
  });
  const ended = await runtime.writeInto(command, body.pipeThrough(followed));
  if (ended.code !== 0) throw failure(command, ended);
  if (!end.reached) throw new Error('the archive is cut short');
}

/** The attributes of macOS are of no use elsewhere, and would be files there. */
const PLAIN_FILES = ['--no-mac-metadata', '--no-xattrs', '--no-acls', '--no-fflags'];

/**
 * A user namespace has 65,536 users, and a developer's uid may be a million. A container without capabilities has one user.
 * Files of any other owner then belong to root, which is not an error.
 */
function hasOnlyForeignOwners({ code, stderr }: Ended): boolean {
  return (
    code === 2 &&
    stderr
      .trim()
      .split('\n')
      .every((line) => FOREIGN_OWNER.test(line))
  );
}

/** Packs a directory while the stream is read, without holes. The stream fails if tar does. Cancelling it ends tar. */
export function pack(runtime: Runtime, dir: string, program = HERE): ReadableStream<Uint8Array> {
  if (program === 'bsd') {
    return runtime.readFrom(['bsdtar', '-c', '--numeric-owner', ...PLAIN_FILES, '-f', '-', '-C', dir, '.']);
  }
  return runtime.readFrom(tar(dir, '--create', '--sparse', '.'));
}

function tar(dir: string, ...args: string[]): string[] {
  return ['tar', '--numeric-owner', '--file=-', `--directory=${dir}`, ...args];
}
