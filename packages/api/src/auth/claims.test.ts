import { expect, test } from 'vitest';
import { claimsFromJson, claimsToJson, displayName, localUserClaims } from './claims.ts';

test('[API-CLAIM1] a local user’s id, name and email are the name; the subject is Concourse’s', () => {
  const claims = localUserClaims('test', 'fly');
  expect(claims).toMatchObject({ name: 'test', userId: 'test', email: 'test', connector: 'local', groups: [] });
  expect(claims.sub).toBe('CgR0ZXN0EgVsb2NhbA');
  expect(displayName(claims)).toBe('test');
});

test('[API-CLAIM1] the subject of a long name', () => {
  const bytes = Buffer.from(localUserClaims('x'.repeat(300), 'fly').sub, 'base64url');
  expect([...bytes.subarray(0, 3)]).toEqual([0x0a, 0xac, 0x02]);
  expect(bytes).toHaveLength(3 + 300 + 2 + 5);
});

test('[API-CLAIM2] others see a user under the preferred name, if there is one', () => {
  expect(displayName({ ...localUserClaims('bob', 'fly'), userName: 'Bobby' })).toBe('Bobby');
});

test('[API-CLAIM3] claims are the same after they were stored', () => {
  const claims = { ...localUserClaims('bob', 'fly'), groups: ['crew'] };
  expect(claimsFromJson(claimsToJson(claims))).toEqual(claims);
});
