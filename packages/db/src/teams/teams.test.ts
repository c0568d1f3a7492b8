import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../testing/test-database.ts';
import { deleteAccessToken, deleteExpiredAccessTokens, findAccessToken, saveAccessToken } from './access-tokens.ts';
import { listAccountsSince, recordLogin } from './accounts.ts';
import { destroyTeam, ensureMainTeam, findTeam, listTeams, renameTeam, saveTeam } from './teams.ts';
import { clearWall, readWall, setWall } from './wall.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db[Symbol.asyncDispose]());

const auth = { owner: { users: ['local:bob'], groups: [] } };

test('[DB-TEAM1] main is always there, administers, and gets the owners it is given', async () => {
  const first = await ensureMainTeam(db.pool, {});
  expect(await ensureMainTeam(db.pool, auth)).toEqual({ id: first.id, name: 'main', admin: true, auth });
  expect(await destroyTeam(db.pool, 'main')).toBe('last-admin-team');
});

test('[DB-TEAM2] teams are made, changed, renamed and destroyed by a name whose case does not count', async () => {
  expect(await saveTeam(db.pool, 'Crew', auth)).toMatchObject({ created: true, team: { name: 'Crew', admin: false } });
  expect(await saveTeam(db.pool, 'crew', {})).toMatchObject({ created: false, team: { name: 'Crew', auth: {} } });
  expect(await findTeam(db.pool, 'CREW')).toMatchObject({ name: 'Crew' });
  expect((await listTeams(db.pool)).map(({ name }) => name)).toEqual(['main', 'Crew']);
  await expect(renameTeam(db.pool, 'crew', 'MAIN')).rejects.toMatchObject({ code: 'name-taken' });
  expect(await renameTeam(db.pool, 'crew', 'squad')).toBe(true);
  expect(await renameTeam(db.pool, 'crew', 'squad')).toBe(false);
  expect(await destroyTeam(db.pool, 'squad')).toBe('done');
  expect(await destroyTeam(db.pool, 'squad')).toBe('unknown');
});

test('[DB-TOK1] a token stands for its claims until it expires or is deleted', async () => {
  const claims = { sub: 'x', groups: ['a'] };
  await saveAccessToken(db.pool, 'good', { claims, expiresAt: new Date(Date.now() + 60_000) });
  await saveAccessToken(db.pool, 'old', { claims, expiresAt: new Date(Date.now() - 60_000) });
  expect(await findAccessToken(db.pool, 'good')).toEqual(claims);
  expect(await findAccessToken(db.pool, 'old')).toBeUndefined();
  expect(await findAccessToken(db.pool, 'none')).toBeUndefined();
  expect(await deleteExpiredAccessTokens(db.pool)).toBe(1);
  await deleteAccessToken(db.pool, 'good');
  expect(await findAccessToken(db.pool, 'good')).toBeUndefined();
});

test('[DB-TOK2] users who have logged in are listed with their last login', async () => {
  await recordLogin(db.pool, { sub: 's', username: 'bob', connector: 'local' });
  await recordLogin(db.pool, { sub: 's', username: 'bobby', connector: 'local' });
  await recordLogin(db.pool, { sub: 't', username: 'old', connector: 'local' });
  await db.pool.query("UPDATE account SET last_login_at = now() - interval '3 days' WHERE sub = 't'");
  const since = new Date(Date.now() - 24 * 3_600_000);
  expect(await listAccountsSince(db.pool, since)).toMatchObject([{ sub: 's', username: 'bobby', connector: 'local' }]);
});

test('[DB-WALL1] one message, until its time is over or it is cleared', async () => {
  expect(await readWall(db.pool)).toBeUndefined();
  await setWall(db.pool, 'hello');
  expect(await readWall(db.pool)).toEqual({ message: 'hello' });
  await setWall(db.pool, 'bye', 60_000);
  expect((await readWall(db.pool))?.remainingMs).toBeGreaterThan(0);
  await setWall(db.pool, 'gone', 0);
  expect(await readWall(db.pool)).toBeUndefined();
  await setWall(db.pool, 'hello');
  await clearWall(db.pool);
  expect(await readWall(db.pool)).toBeUndefined();
});
