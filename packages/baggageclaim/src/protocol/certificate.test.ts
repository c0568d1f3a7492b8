import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:tls';
import { expect, test } from 'vitest';
import { deriveAuthority } from '../client/authority.ts';
import { serverCertificate } from './certificate.ts';

const authority = await deriveAuthority(Buffer.from('a secret'), 'prod');
const issuer = new X509Certificate(authority.certificate);

test('[BC4] each certificate has its own new key, the name of its server, and the signature of its authority', async () => {
  const [first, second] = await Promise.all([1, 2].map(() => serverCertificate('task-1', authority.key)));
  const parsed = new X509Certificate(first?.cert ?? '');
  expect(parsed.subject).toBe('CN=task-1');
  expect(parsed.subjectAltName).toBe('DNS:task-1');
  expect(parsed.checkIssued(issuer)).toBe(true);
  expect(parsed.verify(issuer.publicKey)).toBe(true);
  expect(parsed.ca).toBe(false);
  expect(issuer.ca).toBe(true);
  expect(first?.key).not.toBe(second?.key);
});

test('[BC4] certificates are well formed, also if their numbers start with zeros or high bits', async () => {
  for (let i = 0; i < 50; i++) {
    const parsed = new X509Certificate((await serverCertificate(`n${i}`, authority.key)).cert);
    expect(parsed.verify(issuer.publicKey)).toBe(true);
  }
});

test('[BC27] the authority of a worker is always the same, and another worker or secret has another', async () => {
  expect((await deriveAuthority(Buffer.from('a secret'), 'prod')).key).toBe(authority.key);
  expect((await deriveAuthority(Buffer.from('a secret'), 'test')).key).not.toBe(authority.key);
  expect((await deriveAuthority(Buffer.from('another'), 'prod')).key).not.toBe(authority.key);
});

test.each([
  ['the name of the server', 'task-1', authority, true],
  ['another name', 'task-2', authority, false],
  ['another authority', 'task-1', await deriveAuthority(Buffer.from('a secret'), 'test'), false],
])('[BC27] a client that expects %s connects: %s', async (_, servername, expected, connects) => {
  const server = createServer(await serverCertificate('task-1', authority.key)).listen(0);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const socket = connect({ port, servername, ca: expected.certificate });
  const connected = await once(socket, 'secureConnect').then(
    () => true,
    () => false,
  );
  expect(connected).toBe(connects);
  socket.destroy();
  server.close();
});
