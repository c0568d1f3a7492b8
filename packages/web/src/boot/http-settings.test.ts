import { expect, test } from 'vitest';
import { parseHttpSettings } from './http-settings.ts';
import { Mistake } from './mistake.ts';

const parse = (flags: Readonly<Record<string, string>>) => parseHttpSettings((flag) => flags[flag], {});

test('[WEB26] by default a shell stays for ever, and nothing is said about HTTPS', () => {
  expect(parse({})).toEqual({
    streamLimits: { perClient: 1_000, inAll: 5_000 },
    interceptIdleMs: 0,
    imageOrigins: [],
  });
});

test('[WEB26] an operator limits idle shells and sets the header about HTTPS', () => {
  expect(
    parse({ 'intercept-idle-timeout': '1h30m', 'strict-transport-security': 'max-age=31536000; includeSubDomains' }),
  ).toMatchObject({ interceptIdleMs: 5_400_000, strictTransportSecurity: 'max-age=31536000; includeSubDomains' });
});

test('[WEB26] an operator names the servers whose pictures are shown', () => {
  const { imageOrigins } = parse({ 'image-origins': 'https://a.example.com,http://b.example.com:81/' });
  expect(imageOrigins).toEqual(['https://a.example.com', 'http://b.example.com:81']);
});

test.each([
  ['image-origins', 'a.example.com', '"a.example.com" is not a server'],
  ['image-origins', 'https://a.example.com/x', 'is not a server'],
  ['image-origins', "https://a.example.com; script-src 'unsafe-inline'", 'is not a server'],
  ['image-origins', 'https://*', 'is not a server'],
  ['image-origins', 'data:', 'is not a server'],
  ['intercept-idle-timeout', 'soon', '"soon" is not a duration'],
  ['intercept-idle-timeout', '-1m', '"-1m" is not a duration'],
  ['strict-transport-security', 'a\nb', 'not one line of plain text'],
])('[WEB26] --%s %j is a mistake', (flag, value, message) => {
  expect(() => parse({ [flag]: value })).toThrow(Mistake);
  expect(() => parse({ [flag]: value })).toThrow(message);
});
