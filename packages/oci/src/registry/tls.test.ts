import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { resolveReference } from '../testing/resolve-reference.ts';
import { parseReference } from './reference.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;
const clock = { now: () => 0, sleep: async () => {} };
const signal = new AbortController().signal;
let dir = '';
let ca = '';
let close = () => {};
let host = '';

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'oci-tls-'));
  const files = ['-keyout', join(dir, 'key'), '-out', join(dir, 'crt')];
  const what = ['-subj', '/CN=registry', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '1'];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256'];
  execFileSync('openssl', ['req', '-x509', '-nodes', ...curve, ...files, ...what], { stdio: 'ignore' });
  ca = await readFile(join(dir, 'crt'), 'utf8');
  const server = createServer({ key: await readFile(join(dir, 'key')), cert: ca }, (_request, response) => {
    response.writeHead(200, { 'docker-content-digest': DIGEST }).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  close = () => {
    server.closeAllConnections();
    server.close();
  };
});
afterAll(async () => {
  close();
  await rm(dir, { recursive: true });
});

const ask = (settings: object) => resolveReference(clock, parseReference(`${host}/a/b`), { settings, signal });

test('[OCI24] a certificate of an authority of the settings is good, and without it any only for an insecure registry', async () => {
  expect(await ask({ ca: [ca] })).toBe(DIGEST);
  expect(await ask({ insecure: true })).toBe(DIGEST);
  await expect(ask({})).rejects.toMatchObject({ code: 'registry-failed' });
});

test('[OCI24] a certificate of an authority that the machine trusts is good', async () => {
  vi.stubEnv('SSL_CERT_FILE', join(dir, 'crt'));
  expect(await ask({})).toBe(DIGEST);
  vi.stubEnv('SSL_CERT_FILE', join(dir, 'none'));
  await expect(ask({})).rejects.toMatchObject({ code: 'registry-failed' });
});
