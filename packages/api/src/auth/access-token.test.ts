import { expect, test } from 'vitest';
import { bearerToken, newAccessToken } from './access-token.ts';

test('[API-TOKEN1] a token holds its expiry where fly looks for it', () => {
  const expiresAt = new Date('2030-01-02T03:04:05Z');
  const token = newAccessToken(expiresAt);
  const bytes = Buffer.from(token, 'base64');
  expect(token).not.toContain('=');
  expect(bytes).toHaveLength(28);
  expect(Number(bytes.readBigUInt64LE(20))).toBe(expiresAt.getTime() / 1000);
});

test('[API-TOKEN2] no two tokens are alike', () => {
  const [a, b] = [newAccessToken(new Date(0)), newAccessToken(new Date(0))];
  expect(a).not.toBe(b);
});

test('[API-TOKEN3] only `Bearer TOKEN` is a bearer token, with the scheme in any case', () => {
  expect(bearerToken(undefined)).toBeUndefined();
  expect(bearerToken('')).toBeUndefined();
  expect(bearerToken('bearer abc')).toBe('abc');
  for (const header of ['abc', 'Basic abc', 'Bearer', 'Bearer a b']) expect(bearerToken(header)).toBeNull();
});
