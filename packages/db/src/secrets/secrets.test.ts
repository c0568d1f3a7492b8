import type { Plan } from '@seaplane/config';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readPrivatePlans } from '../builds/build.ts';
import { createJobBuild } from '../builds/create-job-build.ts';
import { createCheckBuild, createOneOffBuild } from '../builds/create-started-build.ts';
import { startBuild } from '../builds/start-build.ts';
import { addIdentityKey, findNewestIdentityKey } from '../identity/identity-keys.ts';
import { createJournal } from '../journal/journal.ts';
import { openDatabase } from '../open-database.ts';
import { readConfigText } from '../pipelines/config-text.ts';
import { readPipelineConfig, readPipelineConfigUnless } from '../pipelines/pipeline.ts';
import type { Queryable } from '../queryable.ts';
import { findResource, listTypes } from '../resources/resource.ts';
import { createTestDatabase, sampleJob, sampleResource, saveSample, type TestDatabase } from '../testing/index.ts';
import { type EncryptionKeys, Vault } from './vault.ts';

const SECRET = 'swordfish';
const KEY = 'a key of 16 byte';
const LONG_KEY = 'another key, which has 32 bytes.';

let base: TestDatabase;
beforeEach(async () => {
  base = await createTestDatabase();
});
afterEach(() => base[Symbol.asyncDispose]());

function open(encryption?: EncryptionKeys) {
  const { host, port, database, user } = base.connection;
  const url = `postgresql://${user}@/${database}?host=${encodeURIComponent(host)}&port=${port}`;
  return openDatabase({ kind: 'external', url }, encryption ? { encryption } : {});
}

const source = { password: SECRET };
const plan: Plan = { id: '1', check: { name: 'r', type: 'mock', source, image: { base_type: 'mock' } } } as never;
const key = { planId: '1', what: 'result' } as const;

/** Writes a secret wherever one may be. */
async function writeSecrets(pool: Parameters<typeof createJournal>[0]) {
  const { teamId, pipelineId, jobs, resources } = await saveSample(
    pool,
    { name: 'p' },
    {
      jobs: [sampleJob('j', { config: { name: 'j', plan: [{ task: 't', params: source }] } })],
      resources: [sampleResource('r', { config: { name: 'r', type: 'mock', source } })],
      resourceTypes: [{ name: 't', type: 'mock', config: { name: 't', type: 'mock', source } }],
    },
  );
  const planned = { plan, publicPlan: {} };
  const oneOff = await createOneOffBuild(pool, { teamId }, planned);
  const check = await createCheckBuild(
    pool,
    { resourceId: resources['r'] ?? 0 },
    { ...planned, manuallyTriggered: true },
  );
  const { id } = await createJobBuild(pool, { jobId: jobs['j'] ?? 0 });
  await startBuild(pool, id, planned);
  await createJournal(pool, id).record(key, { value: SECRET });
  await addIdentityKey(pool, { id: 'k', algorithm: 'RS256', publicJwk: { kid: 'k' }, privateJwk: { d: SECRET } });
  return { pipelineId, builds: [oneOff.id, check?.id ?? 0, id] };
}

/** Every secret, as the functions that the product has for it read it. */
async function readSecrets(pool: Parameters<typeof createJournal>[0], { pipelineId, builds }: Written) {
  return [
    await readPipelineConfig(pool, pipelineId),
    configOf(await readPipelineConfigUnless(pool, pipelineId, undefined)),
    JSON.parse((await readConfigText(pool, pipelineId))?.text ?? ''),
    (await findResource(pool, pipelineId, 'r'))?.config,
    (await listTypes(pool, 'resource_type', pipelineId))[0]?.config,
    ...(await readPrivatePlans(pool, builds)).values(),
    await createJournal(pool, builds.at(-1) ?? 0).read(key),
    await findNewestIdentityKey(pool, 'RS256'),
  ].map((value) => JSON.stringify(value));
}

const configOf = (found: 'unchanged' | { readonly config: object } | undefined) =>
  typeof found === 'object' ? found.config : found;

type Written = Awaited<ReturnType<typeof writeSecrets>>;

/** Which columns of the whole database have the text somewhere. */
async function columnsWith(db: Queryable, text: string): Promise<string[]> {
  const { rows } = await db.query<{ table: string; column: string }>(
    `SELECT table_name AS table, column_name AS column FROM information_schema.columns WHERE table_schema = 'public'`,
  );
  const found: string[] = [];
  for (const { table, column } of rows) {
    const sql = `SELECT FROM "${table}" WHERE strpos("${column}"::text, $1) > 0 LIMIT 1`;
    if ((await db.query(sql, [text])).rowCount) found.push(`${table}.${column}`);
  }
  return found.toSorted();
}

const SECRET_COLUMNS = [
  'build.private_plan',
  'build_journal.value',
  'identity_key.private_jwk',
  'pipeline.config',
  'resource.config',
  'resource_type.config',
];

test('[DB-SEAL1] with a key, no column of the database holds a secret in clear text, and everything reads as written', async () => {
  await using database = await open({ current: KEY });
  const written = await writeSecrets(database.pool);
  expect(await columnsWith(base.pool, SECRET)).toEqual([]);
  expect(await columnsWith(base.pool, '"sealed:')).toEqual(SECRET_COLUMNS);
  const read = await readSecrets(database.pool, written);
  expect(read).toHaveLength(10);
  for (const text of read) expect(text).toContain(SECRET);
  expect(await readSecrets(database.backgroundPool, written)).toEqual(read);
});

describe('the next start', () => {
  test.each<[string, EncryptionKeys | undefined, EncryptionKeys | undefined, boolean]>([
    ['with a first key encrypts', undefined, { current: KEY }, true],
    ['with another key encrypts again', { current: KEY }, { current: LONG_KEY, old: KEY }, true],
    ['without a key, but with the old one, decrypts', { current: KEY }, { old: KEY }, false],
    ['with the same key changes nothing', { current: LONG_KEY }, { current: LONG_KEY }, true],
  ])('[DB-SEAL2] %s everything', async (_name, before, after, sealed) => {
    const first = await open(before);
    const written = await writeSecrets(first.pool);
    const read = await readSecrets(first.pool, written);
    await first.close();
    await (await open(after)).close();
    const { old: _old, ...alone } = after ?? {};
    await using database = await open(alone); // so the old key is not needed any more
    expect(await columnsWith(base.pool, sealed ? '"sealed:' : SECRET)).toEqual(SECRET_COLUMNS);
    expect(await columnsWith(base.pool, sealed ? SECRET : '"sealed:')).toEqual([]);
    expect(await readSecrets(database.pool, written)).toEqual(read);
  });

  test.each<[string, EncryptionKeys | undefined]>([
    ['no key', undefined],
    ['another key', { current: LONG_KEY }],
    ['two other keys', { current: LONG_KEY, old: 'yet another key.' }],
  ])('[DB-SEAL3] with %s is refused, and says what to set', async (_name, keys) => {
    const first = await open({ current: KEY });
    await writeSecrets(first.pool);
    await first.close();
    await expect(open(keys)).rejects.toMatchObject({
      code: 'key-missing',
      message: expect.stringContaining('SEAPLANE_OLD_ENCRYPTION_KEY'),
    });
    await using database = await open({ current: KEY });
    expect(await columnsWith(database.pool, SECRET)).toEqual([]);
  });
});

test('[DB-SEAL4] a sealed value opens only whole, and only as a value of its column', () => {
  const vault = new Vault({ current: KEY });
  const sealed = JSON.parse(vault.seal('resource.config', source)) as string;
  expect(vault.open('resource.config', sealed)).toEqual(source);
  expect(() => vault.open('pipeline.config', sealed)).toThrow('was changed after it was encrypted');
  const other = sealed.replace(/.(.{10})$/, (_, end: string) => `${sealed.at(-11) === 'A' ? 'B' : 'A'}${end}`);
  expect(() => vault.open('resource.config', other)).toThrow('was changed after it was encrypted');
  expect(() => vault.open('resource.config', sealed.slice(0, 20))).toThrow('was changed after it was encrypted');
  expect(vault.seal('resource.config', source)).not.toBe(vault.seal('resource.config', source));
  expect(() => new Vault({ current: 'short' })).toThrow('a key has 16 or 32 bytes, and this one has 5');
});
