import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExitRecord } from '../../protocol/messages.ts';
import { parseExitRecord } from '../supervisor/parse-exit-record.ts';
import type { SupervisorSecret } from '../supervisor/supervisor-secret.ts';
import { openRegularFile } from '../trees/open-regular-file.ts';

const LARGEST_RECORD = 1024 * 1024;

/**
 * The exit records that the supervisor left in its directory. A root process of the step can write there too, so a file
 * counts only if it has the supervisor's seal and the name of its record. Any other file is logged and left alone.
 */
export async function readSealedRecords(dir: string, secret: SupervisorSecret): Promise<ExitRecord[]> {
  const records: ExitRecord[] = [];
  for (const name of await readdir(dir)) {
    const [, id] = /^([^.].*)\.exit$/.exec(name) ?? [];
    if (!id) continue;
    const record = await readSealedRecord(join(dir, name), secret).catch(() => undefined);
    if (record?.id === id) records.push(record);
    else console.error(`${name} is not an exit record of this sandbox's supervisor: ignored`);
  }
  return records;
}

async function readSealedRecord(path: string, secret: SupervisorSecret): Promise<ExitRecord | undefined> {
  await using file = await openRegularFile(path);
  if (!file || (await file.stat()).size > LARGEST_RECORD) return undefined;
  const json = await secret.unseal(await file.readFile('utf8'));
  return json === undefined ? undefined : parseExitRecord(json);
}
