import { expect, test } from 'vitest';
import { formatReference, parseReference } from './reference.ts';

const DIGEST = `sha256:${'a'.repeat(64)}` as const;

test.each([
  ['alpine', { registry: 'docker.io', name: 'library/alpine', tag: 'latest' }],
  ['alpine:3.20', { registry: 'docker.io', name: 'library/alpine', tag: '3.20' }],
  ['concourse/concourse', { registry: 'docker.io', name: 'concourse/concourse', tag: 'latest' }],
  ['docker.io/alpine', { registry: 'docker.io', name: 'library/alpine', tag: 'latest' }],
  ['index.docker.io/library/alpine:1', { registry: 'docker.io', name: 'library/alpine', tag: '1' }],
  ['registry-1.docker.io/a/b', { registry: 'docker.io', name: 'a/b', tag: 'latest' }],
  ['ghcr.io/a/b/c:v1.2_x', { registry: 'ghcr.io', name: 'a/b/c', tag: 'v1.2_x' }],
  ['localhost/a', { registry: 'localhost', name: 'a', tag: 'latest' }],
  ['localhost:5000/a', { registry: 'localhost:5000', name: 'a', tag: 'latest' }],
  ['registry.test:5000/a/b:1', { registry: 'registry.test:5000', name: 'a/b', tag: '1' }],
  ['[::1]:5000/a', { registry: '[::1]:5000', name: 'a', tag: 'latest' }],
  [`alpine@${DIGEST}`, { registry: 'docker.io', name: 'library/alpine', digest: DIGEST }],
  [`ghcr.io/a/b:1@${DIGEST}`, { registry: 'ghcr.io', name: 'a/b', tag: '1', digest: DIGEST }],
])('[OCI15] %s', (text, expected) => {
  expect(parseReference(text)).toEqual(expected);
  expect(parseReference(formatReference(parseReference(text)))).toEqual(expected);
});

test.each([
  '',
  'A/b',
  'ghcr.io/',
  '/a',
  'a//b',
  'a:',
  'a:b:c',
  'a:-x',
  'a b',
  '../a',
  'ghcr.io/../a',
  'a@b@c',
  'http://a.b/c',
])('[OCI15] %j is not a reference', (text) => {
  expect(() => parseReference(text)).toThrowError(expect.objectContaining({ code: 'bad-reference' }));
});

test('[OCI15] a digest that is not one is refused', () => {
  expect(() => parseReference('alpine@sha256:../..')).toThrowError(expect.objectContaining({ code: 'bad-digest' }));
});
