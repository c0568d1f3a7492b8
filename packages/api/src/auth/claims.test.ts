import { expect, test } from 'vitest';
import { claimsFromJson, claimsToJson, displayName, localUserClaims } from './claims.ts';

test('[API-CLAIM1] a local user is called by their name in every respect, and has the subject that Concourse gives them', () => {
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

test('[API-CLAIM2] users are shown as they want to be called, if they said so', () => {
  expect(displayName({ ...localUserClaims('bob', 'fly'), userName: 'Bobby' })).toBe('Bobby');
});

test('[API-CLAIM3] claims are the same after they were kept', () => {
  const claims = { ...localUserClaims('bob', 'fly'), groups: ['crew'] };
  expect(claimsFromJson(claimsToJson(claims))).toEqual(claims);
});
