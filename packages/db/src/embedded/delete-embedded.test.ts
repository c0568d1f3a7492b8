import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../testing/index.ts';
import { deleteEmbedded } from './delete-embedded.ts';
import { ServerDirectory } from './directory/server-directory.ts';

test('[DB-EMB17] a database is deleted with its directory, unless a program uses it', async () => {
  await using temporary = await temporaryDirectory();
  const path = join(temporary.path, 'postgres');
  await deleteEmbedded(path); // there is none yet
  {
    await using _directory = await ServerDirectory.open(path);
    await writeFile(join(path, 'file'), '');
    await expect(deleteEmbedded(path)).rejects.toMatchObject({ code: 'directory-in-use' });
    expect(await readdir(path)).toContain('file');
  }
  await deleteEmbedded(path);
  expect(await readdir(temporary.path)).toEqual([]);
});
