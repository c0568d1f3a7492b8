import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HostError } from '@seaplane/orchestrator';
import { expect, test } from 'vitest';
import { parseRegistries, settingsFor } from './registries.ts';

test('[LOCAL31] mirrors, certificates, insecure registries and passwords are settings of pulls', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'registries-'));
  const certificates = join(directory, 'ca.pem');
  await writeFile(certificates, 'PEM');
  const registries = parseRegistries('worker.registries', {
    mirrors: ['m.example', { host: 'n.example', username: 'u', password: 'p' }],
    certificates,
    insecure: ['lan:5000'],
    credentials: { 'r.example': { username: 'a', password: 'b' } },
    keptDays: 3,
  });
  expect(registries.keptDays).toBe(3);
  const mirrors = [{ host: 'm.example' }, { host: 'n.example', credentials: { username: 'u', password: 'p' } }];
  expect(await settingsFor(registries, 'lan:5000')).toEqual({ mirrors, ca: ['PEM'], insecure: true });
  expect(await settingsFor(registries, 'r.example')).toEqual({
    mirrors,
    ca: ['PEM'],
    credentials: { username: 'a', password: 'b' },
  });
  expect(await settingsFor({}, 'docker.io')).toEqual({});
  await rm(directory, { recursive: true });
  await expect(settingsFor(registries, 'r.example')).rejects.toThrow("the certificates of registries can't be read");
});

test.each([
  ['worker.registries has no field mirror', { mirror: [] }],
  ['worker.registries.mirrors[0].password is missing', { mirrors: [{ host: 'h', username: 'u' }] }],
  ['worker.registries.insecure must be a list', { insecure: 'h' }],
  ['worker.registries.keptDays must be', { keptDays: 'long' }],
  ['worker.registries.credentials.h.username is missing', { credentials: { h: {} } }],
])('[LOCAL31] a mistake is named by its path: %s', (message, value) => {
  expect(() => parseRegistries('worker.registries', value)).toThrow(HostError);
  expect(() => parseRegistries('worker.registries', value)).toThrow(message);
});
