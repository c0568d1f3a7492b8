import { expect, test } from 'vitest';
import { parseChallenge, tokenUrl } from './challenge.ts';
import { isTemporary, pauseBefore } from './retry.ts';

const NOW = Date.parse('2026-11-16T00:00:00Z');

test('[OCI19] pauses grow, and Retry-After counts in seconds and as a date', () => {
  expect([0, 1, 2, 3, 20].map((attempt) => pauseBefore(attempt, undefined, NOW))).toEqual([
    500, 1000, 2000, 4000, 60_000,
  ]);
  expect(pauseBefore(3, '7', NOW)).toBe(7000);
  expect(pauseBefore(0, 'Mon, 16 Nov 2026 00:00:09 GMT', NOW)).toBe(9000);
  expect(pauseBefore(0, 'Sun, 15 Nov 2026 00:00:00 GMT', NOW)).toBe(0);
  expect(pauseBefore(1, 'soon', NOW)).toBe(1000);
});

test('[OCI19] a pause of more than a minute is not waited for', () => {
  expect(pauseBefore(0, '3600', NOW)).toBeUndefined();
});

test('[OCI19] only errors that pass by are tried again', () => {
  expect([200, 400, 401, 403, 404, 408, 429, 500, 502, 503].filter(isTemporary)).toEqual([408, 429, 500, 502, 503]);
});

test('[OCI16] challenges', () => {
  expect(parseChallenge('Basic realm="x"')).toEqual({ scheme: 'basic' });
  const bearer = parseChallenge(
    'Bearer realm="https://auth.test/token",service="reg",scope="repository:a/b:pull,push"',
  );
  expect(bearer).toEqual({
    scheme: 'bearer',
    realm: 'https://auth.test/token',
    service: 'reg',
    scope: 'repository:a/b:pull,push',
  });
  if (bearer?.scheme !== 'bearer') throw new Error('not a bearer challenge');
  expect(tokenUrl(bearer, 'repository:a/b:pull').href).toBe(
    'https://auth.test/token?service=reg&scope=repository%3Aa%2Fb%3Apull',
  );
  expect(parseChallenge('bearer realm=https://a.test/t')).toEqual({ scheme: 'bearer', realm: 'https://a.test/t' });
  for (const bad of [undefined, '', 'Negotiate', 'Bearer service="x"', 'Bearer realm="not a url"']) {
    expect(parseChallenge(bad)).toBeUndefined();
  }
});
