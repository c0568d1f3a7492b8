import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:tls';
import { expect, test } from 'vitest';
import { selfSignedCertificate } from './certificate.ts';

test('[BC4] each certificate is signed by its own new key', async () => {
  const [first, second] = [await selfSignedCertificate('task-1'), await selfSignedCertificate('task-1')];
  const parsed = new X509Certificate(first.cert);
  expect(parsed.subject).toBe('CN=task-1');
  expect(parsed.verify(parsed.publicKey)).toBe(true);
  expect(first.key).not.toBe(second.key);
});

test('[BC4] certificates are well formed, also if their numbers start with zeros or high bits', async () => {
  for (let i = 0; i < 50; i++) {
    const parsed = new X509Certificate((await selfSignedCertificate(`n${i}`)).cert);
    expect(parsed.verify(parsed.publicKey)).toBe(true);
  }
});

test('[BC4] a client that knows the certificate connects', async () => {
  const certificate = await selfSignedCertificate('store');
  const server = createServer(certificate).listen(0);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const socket = connect({ port, ca: certificate.cert, checkServerIdentity: () => undefined });
  await once(socket, 'secureConnect');
  expect(socket.authorized).toBe(true);
  socket.destroy();
  server.close();
});
