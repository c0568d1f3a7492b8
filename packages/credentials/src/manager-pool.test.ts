import { quiet } from '@seaplane/engine/testing';
import { expect, test } from 'vitest';
import { CredentialError } from './credential-error.ts';
import { lookUp, openCredentials, VAULT } from './testing/open-credentials.ts';
import { testManager } from './testing/test-manager.ts';

const MINUTE = 60_000;

test('[CRED11] builds whose sources have the same type and configuration share one manager', async () => {
  const manager = testManager();
  await using open = openCredentials(manager.type);
  const { credentials } = open;
  await lookUp(credentials.variables([VAULT], { team: 'main', pipeline: 'a' }), 'vault:x');
  await lookUp(credentials.variables([{ ...VAULT, name: 'other' }], { team: 'main', pipeline: 'b' }), 'other:x');
  expect(manager.logins).toEqual(['token']);
  const differs = { ...VAULT, config: { client_token: 'second' } };
  await lookUp(credentials.variables([differs], { team: 'main' }), 'vault:x');
  expect(manager.logins).toEqual(['token', 'second']);
});

test('[CRED12] a manager is closed five minutes after its last use, and opened anew after that', async () => {
  const manager = testManager();
  await using open = openCredentials(manager.type);
  const variables = open.credentials.variables([VAULT], { team: 'main' });
  await lookUp(variables, 'vault:x');
  await open.clock.advance(4 * MINUTE);
  await lookUp(variables, 'vault:x');
  await open.clock.advance(5 * MINUTE - 1);
  expect(manager.closed).toEqual([]);
  await open.clock.advance(1);
  expect(manager.closed).toEqual(['token']);
  await lookUp(variables, 'vault:x');
  expect(manager.logins).toEqual(['token', 'token']);
});

test('[CRED12] a manager that is being used is not closed', async () => {
  const manager = testManager();
  await using open = openCredentials(manager.type);
  const variables = open.credentials.variables([VAULT], { team: 'main' });
  const gate = Promise.withResolvers<void>();
  manager.gate = gate.promise;
  const slow = lookUp(variables, 'vault:x');
  await open.clock.advance(10 * MINUTE);
  expect(manager.closed).toEqual([]);
  gate.resolve();
  expect(await slow).toBeUndefined();
});

test('[CRED13] a manager that could not be opened is opened again by the next lookup', async () => {
  const manager = testManager({ '/concourse/main/x': { value: 'v' } });
  await using open = openCredentials(manager.type);
  manager.openErrors.push(new CredentialError('invalid-config', 'wrong token'));
  const variables = open.credentials.variables([VAULT], { team: 'main' });
  await expect(lookUp(variables, 'vault:x')).rejects.toThrow('wrong token');
  expect(await lookUp(variables, 'vault:x')).toBe('v');
});

test('[CRED14] closing the credentials closes every manager, and later lookups fail', async () => {
  const manager = testManager();
  const open = openCredentials(manager.type);
  const variables = open.credentials.variables([VAULT], { team: 'main' });
  await lookUp(variables, 'vault:x');
  await open[Symbol.asyncDispose]();
  expect(manager.closed).toEqual(['token']);
  expect(open.clock.sleepers()).toBe(0);
  await expect(lookUp(variables, 'vault:y')).rejects.toThrow('this web is stopping');
});

test('[CRED14] a manager that cannot be closed is reported, and is not in the way of the others', async () => {
  const manager = testManager();
  const { type } = manager;
  const stuck = {
    ...type,
    open: async (...args: Parameters<typeof type.open>) => ({
      ...(await type.open(...args)),
      [Symbol.asyncDispose]: () => Promise.reject(new Error('logout failed')),
    }),
  };
  await using open = openCredentials(stuck);
  await lookUp(open.credentials.variables([VAULT], { team: 'main' }), 'vault:x');
  await open.clock.advance(5 * MINUTE);
  await quiet();
  expect(open.problems).toEqual(['closing a credential manager: logout failed']);
});
