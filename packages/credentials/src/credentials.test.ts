import { interpolate, type VarSourceConfig } from '@seaplane/config';
import { expect, test } from 'vitest';
import { lookUp, openCredentials, reference, VAULT } from './testing/open-credentials.ts';
import { testManager } from './testing/test-manager.ts';

const SCOPE = { team: 'main', pipeline: 'p', job: 'unit' };
const never = new AbortController().signal;

function dummy(name: string, vars: VarSourceConfig['config']): VarSourceConfig {
  return { name, type: 'dummy', config: { vars: vars as never } };
}

test('[CRED1] a variable comes from the var source that it names, and its fields are followed', async () => {
  await using open = openCredentials();
  const variables = open.credentials.variables([dummy('a', { x: { y: 1 } }), dummy('b', { x: null })], SCOPE);
  expect(await lookUp(variables, 'a:x.y')).toBe(1);
  expect(await lookUp(variables, 'b:x')).toBeNull();
  expect(await lookUp(variables, 'b:y')).toBeUndefined();
  expect(await lookUp(variables, 'x')).toBeUndefined();
  await expect(lookUp(variables, 'a:x.z')).rejects.toThrow("missing field 'z' in var: x.z");
  await expect(lookUp(variables, 'c:x')).rejects.toThrow("missing source 'c' in var: c:x");
});

test('[CRED2] a manager knows the team, pipeline, instance vars and job it is asked for', async () => {
  const seen: unknown[] = [];
  const { type } = testManager();
  const asked = {
    ...type,
    open: async (...args: Parameters<typeof type.open>) => {
      const manager = await type.open(...args);
      return { ...manager, paths: (name: string, scope: object) => [JSON.stringify([name, scope, seen.push(scope)])] };
    },
  };
  await using open = openCredentials(asked);
  const scope = { ...SCOPE, instanceVars: { branch: 'main' } };
  await lookUp(open.credentials.variables([VAULT], scope), 'vault:x');
  expect(seen).toEqual([{ team: 'main', pipeline: 'p', instanceVars: { branch: 'main' }, job: 'unit' }]);
});

test('[CRED3] paths are tried in order; the first that has the variable wins', async () => {
  const manager = testManager({ '/concourse/main/x': { value: 'of the team' } });
  await using open = openCredentials(manager.type);
  const variables = open.credentials.variables([VAULT], SCOPE);
  expect(await lookUp(variables, 'vault:x')).toBe('of the team');
  expect(manager.reads).toEqual(['/concourse/main/p/x', '/concourse/main/x']);
});

test("[CRED4] a var source's configuration may use the variables of other sources, in whatever order they stand", async () => {
  const manager = testManager({ '/concourse/main/x': { value: 'deep' } });
  await using open = openCredentials(manager.type);
  const sources = [
    { ...VAULT, config: { client_token: '((b:token))' } },
    dummy('b', { token: '((a:part))-((a:part))' }),
    dummy('a', { part: 'secret' }),
  ];
  expect(await lookUp(open.credentials.variables(sources, SCOPE), 'vault:x')).toBe('deep');
  expect(manager.logins).toEqual(['secret-secret']);
});

test('[CRED4] a variable that is missing in a configuration is an error of the lookup that needs it, and of no other', async () => {
  await using open = openCredentials();
  const variables = open.credentials.variables([dummy('b', { x: '((a:none))' }), dummy('a', { y: 1 })], SCOPE);
  await expect(lookUp(variables, 'b:x')).rejects.toThrow(
    'the configuration of the var source b: undefined vars: a:none',
  );
  expect(await lookUp(variables, 'a:y')).toBe(1);
});

test('[CRED4] var sources that use each other in a circle are refused', async () => {
  await using open = openCredentials();
  const circle = [dummy('a', { x: '((b:x))' }), dummy('b', { x: '((a:x))' })];
  expect(() => open.credentials.variables(circle, SCOPE)).toThrow('could not resolve inter-dependent var sources');
});

test('[CRED5] a source of an unknown type is an error of its own lookups', async () => {
  await using open = openCredentials();
  const sources = [{ name: 's', type: 'ssm', config: {} }, dummy('a', { x: 1 })];
  const variables = open.credentials.variables(sources, SCOPE);
  await expect(lookUp(variables, 's:x')).rejects.toThrow(
    'the var source s is of the type ssm, which this version of Seaplane does not know',
  );
  expect(await lookUp(variables, 'a:x')).toBe(1);
});

test('[CRED6] a configuration that does not fit with its variables put in is an error without their values', async () => {
  const manager = testManager();
  await using open = openCredentials(manager.type);
  const config = { client_token: 't', lookup_templates: ['{{((a:t))}}'] };
  const sources = [{ ...VAULT, config }, dummy('a', { t: 'hunter2' })];
  const failing = lookUp(open.credentials.variables(sources, SCOPE), 'vault:x');
  const failure = await failing.then(() => undefined, String);
  expect(failure).toMatch(
    /^CredentialError: credential manager vault is invalid: .* used in \{\{\(\(redacted\)\)\}\}$/,
  );
  expect(manager.logins).toEqual([]);
});

test('[CRED7] the message about a missing variable says where it was looked for', async () => {
  const manager = testManager();
  await using open = openCredentials(manager.type);
  const variables = open.credentials.variables([VAULT, dummy('a', {})], SCOPE);
  const failing = interpolate(['((vault:x))', '((a:y))'], (ref) => variables.get(ref, never), {
    allowMissing: false,
    placesOf: (ref) => variables.placesOf(ref, never),
  });
  await expect(failing).rejects.toThrow(
    /^undefined vars: a:y, vault:x \(looked for at \/concourse\/main\/p\/x, \/concourse\/main\/x\)$/,
  );
  expect(await variables.placesOf(reference('x'), never)).toEqual([]);
});
