import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A file's text, or a file of so many bytes of holes, or a link's target, or a pipe. */
export type TreeEntry = string | { readonly holes: number } | { readonly link: string } | { readonly kind: 'pipe' };

/** A tar archive of a tree, by path. */
export function tarOf(files: Readonly<Record<string, TreeEntry>>): Buffer<ArrayBuffer> {
  const dir = mkdtempSync(join(tmpdir(), 'tree-'));
  try {
    for (const [name, entry] of Object.entries(files)) {
      const path = join(dir, name);
      mkdirSync(dirname(path), { recursive: true });
      if (typeof entry === 'string') writeFileSync(path, entry);
      else if ('holes' in entry) {
        writeFileSync(path, '');
        truncateSync(path, entry.holes);
      } else if ('link' in entry) symlinkSync(entry.link, path);
      else execFileSync('mkfifo', [path]);
    }
    return Buffer.from(execFileSync('tar', ['-C', dir, '-S', '-c', '.'], { maxBuffer: 1e9 }));
  } finally {
    rmSync(dir, { recursive: true });
  }
}

export function streamOf(bytes: Buffer<ArrayBuffer>): ReadableStream<Uint8Array> {
  return new Blob([bytes]).stream();
}

/** The paths in a tar stream, sorted. */
export async function membersOf(tar: ReadableStream<Uint8Array>): Promise<string[]> {
  const input = Buffer.from(await new Response(tar).arrayBuffer());
  return execFileSync('tar', ['-t'], { input, encoding: 'utf8' }).trim().split('\n').sort();
}
