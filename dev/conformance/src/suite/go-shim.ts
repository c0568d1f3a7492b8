import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The suite builds `fly` when it starts, and one spec builds it again. That costs three seconds or, after a change of
 * Go's version, two minutes, and needs a Go compiler and a writable module around the suite, only to make the program
 * that the cache has. So a `go` of our own stands first on the suite's PATH: it hands out the cached `fly` for exactly
 * that build and passes everything else to the real one. It copies, because the suite deletes and `fly sync`
 * overwrites what it was given.
 */
export async function writeGoShim(directory: string, fly: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, 'go'), shim(directory, fly), { mode: 0o755 });
}

function shim(directory: string, fly: string): string {
  return `#!/bin/sh
if [ $# = 4 ] && [ "$1 $2 $4" = "build -o github.com/concourse/concourse/fly" ]; then
  exec cp '${fly}' "$3"
fi
PATH=\${PATH#'${directory}:'}
exec go "$@"
`;
}
