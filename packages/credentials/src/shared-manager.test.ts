import { quiet } from '@seaplane/engine/testing';
import { expect, test } from 'vitest';
import { CredentialError } from './credential-error.ts';
import { lookUp, openCredentials, VAULT } from './testing/open-credentials.ts';
import { testManager } from './testing/test-manager.ts';

const SCOPE = { team: 'main' };
const PATH = '/concourse/main/x';
const away = () => new CredentialError('unavailable', 'vault does not answer');

test('[CRED8] a value is read again after a minute, a missing one after ten seconds', async () => {
  const manager = testManager();
  await using open = openCredentials(manager.type);
  const variables = open.credentials.variables([VAULT], SCOPE);
  expect(await lookUp(variables, 'vault:x')).toBeUndefined();
  manager.secrets[PATH] = { value: 1 };
  await open.clock.advance(9_999);
  expect(await lookUp(variables, 'vault:x')).toBeUndefined();
  await open.clock.advance(1);
  expect(await lookUp(variables, 'vault:x')).toBe(1);
  manager.secrets[PATH] = { value: 2 };
  await open.clock.advance(59_999);
  expect(await lookUp(variables, 'vault:x')).toBe(1);
  await open.clock.advance(1);
  expect(await lookUp(variables, 'vault:x')).toBe(2);
  expect(manager.reads).toHaveLength(3);
});

test('[CRED8] a value is not used after the manager says that it expires', async () => {
  const manager = testManager();
  await using open = openCredentials(manager.type);
  const expiresAt = new Date(open.clock.now().getTime() + 5_000);
  manager.secrets[PATH] = { value: 'lease 1', expiresAt };
  const variables = open.credentials.variables([VAULT], SCOPE);
  expect(await lookUp(variables, 'vault:x')).toBe('lease 1');
  manager.secrets[PATH] = { value: 'lease 2' };
  await open.clock.advance(5_000);
  expect(await lookUp(variables, 'vault:x')).toBe('lease 2');
});

test('[CRED8] a clock that is set back does not keep a value, and one that is set ahead does not drop it', async () => {
  const manager = testManager({ [PATH]: { value: 1 } });
  await using open = openCredentials(manager.type);
  const variables = open.credentials.variables([VAULT], SCOPE);
  expect(await lookUp(variables, 'vault:x')).toBe(1);
  manager.secrets[PATH] = { value: 2 };
  open.clock.set(3_600_000);
  expect(await lookUp(variables, 'vault:x')).toBe(1);
  open.clock.set(-7_200_000);
  await open.clock.advance(60_000);
  expect(await lookUp(variables, 'vault:x')).toBe(2);
});

test('[CRED9] lookups of the same path at the same time are one request', async () => {
  const manager = testManager({ [PATH]: { value: 'v' } });
  await using open = openCredentials(manager.type);
  const variables = open.credentials.variables([VAULT], SCOPE);
  const gate = Promise.withResolvers<void>();
  manager.gate = gate.promise;
  const impatient = new AbortController();
  const lookups = [lookUp(variables, 'vault:x', impatient.signal), lookUp(variables, 'vault:x')];
  const given = expect(lookups[0]).rejects.toThrow('no longer wanted');
  await quiet();
  impatient.abort(new Error('no longer wanted'));
  await given;
  gate.resolve();
  expect(await lookups[1]).toBe('v');
  expect(manager.reads).toEqual([PATH]);
});

test('[CRED10] a manager that is unavailable is asked five times, a second apart', async () => {
  const manager = testManager({ [PATH]: { value: 'v' } });
  await using open = openCredentials(manager.type);
  manager.openErrors.push(away());
  manager.readErrors.push(away(), away(), away());
  const variables = open.credentials.variables([VAULT], SCOPE);
  const found = lookUp(variables, 'vault:x');
  for (let second = 0; second < 4; second++) await open.clock.advance(1_000);
  expect(await found).toBe('v');
  expect([manager.logins.length, manager.reads.length]).toEqual([2, 4]);
});

test('[CRED10] after five attempts the lookup fails; an error is not remembered', async () => {
  const manager = testManager({ [PATH]: { value: 'v' } });
  await using open = openCredentials(manager.type);
  manager.readErrors.push(away(), away(), away(), away(), away());
  const variables = open.credentials.variables([VAULT], SCOPE);
  const failed = expect(lookUp(variables, 'vault:x')).rejects.toThrow('vault does not answer');
  for (let second = 0; second < 4; second++) await open.clock.advance(1_000);
  await failed;
  expect(await lookUp(variables, 'vault:x')).toBe('v');
});

test('[CRED10] other errors are not retried', async () => {
  const manager = testManager();
  await using open = openCredentials(manager.type);
  manager.readErrors.push(new CredentialError('invalid-config', 'permission denied'));
  await expect(lookUp(open.credentials.variables([VAULT], SCOPE), 'vault:x')).rejects.toThrow('permission denied');
  expect(manager.reads).toHaveLength(1);
});
