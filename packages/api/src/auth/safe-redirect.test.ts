import fc from 'fast-check';
import { expect, test } from 'vitest';
import { safeRedirect } from './safe-redirect.ts';

test.for([
  ['/', '/'],
  ['/teams/main/pipelines/p?vars.a=%22b%22', '/teams/main/pipelines/p?vars.a=%22b%22'],
  ['/builds/7#L5f1:3:9', '/builds/7#L5f1:3:9'],
  ['/fly_success?fly_port=1234', '/fly_success?fly_port=1234'],
  ['/?search=100%', '/?search=100%'],
])('[API-SIGN3] %s is kept', ([asked, kept]) => {
  expect(safeRedirect(asked)).toBe(kept);
});

test.for([
  undefined,
  '',
  'builds/7',
  'https://evil.example',
  '//evil.example',
  '/\\evil.example',
  '/x\\y',
  '/%2fevil.example',
  '/%252f%252fevil.example',
  '/%5cevil.example',
  '/\t/evil.example',
  '/.//evil.example',
  '/a/..//evil.example',
  'javascript:alert(1)',
])('[API-SIGN3] %s leads to the start', (asked) => {
  expect(safeRedirect(asked)).toBe('/');
});

test('[API-SIGN3] no text leads to another server, however often it is decoded', () => {
  const part = fc.constantFrom(
    '/',
    '//',
    '\\',
    '.',
    '..',
    '%2f',
    '%252F',
    '%5c',
    '\t',
    '\n',
    ' ',
    ':',
    '@',
    '?',
    '#',
    'evil.example',
    'https:',
    '%',
  );
  const text = fc.oneof(
    fc.string(),
    fc.webUrl(),
    fc.array(part, { maxLength: 8 }).map((parts) => `/${parts.join('')}`),
  );
  fc.assert(
    fc.property(text, (asked) => {
      let place = safeRedirect(asked);
      for (let i = 0; i < 6; i += 1) {
        if (new URL(place, 'https://ci.example.com').origin !== 'https://ci.example.com') return false;
        if (!/^\/(?![/\\])/.test(place)) return false;
        try {
          place = decodeURIComponent(place);
        } catch {
          break;
        }
      }
      return true;
    }),
    { numRuns: 1000 },
  );
});
