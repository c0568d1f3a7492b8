import { manualClock } from '@seaplane/engine/testing';
import { expect, test } from 'vitest';
import { CredentialError } from '../credential-error.ts';
import { Credentials } from '../credentials.ts';
import { lookUp, NO_KEYS, reference } from '../testing/open-credentials.ts';
import { kubernetesSecrets } from './kubernetes.ts';

const never = new AbortController().signal;

/** Credentials whose variables are these secrets, by `NAMESPACE/NAME`; and what was read, in order. */
function openSecrets(secrets: Readonly<Record<string, Record<string, string> | Error>>) {
  const reads: string[] = [];
  const clock = manualClock();
  const global = kubernetesSecrets(async (namespace, name) => {
    reads.push(`${namespace}/${name}`);
    const found = secrets[`${namespace}/${name}`];
    if (found instanceof Error) throw found;
    return found;
  }, 'concourse-');
  const credentials = new Credentials({ clock, identity: NO_KEYS, onError: () => {}, global });
  return { credentials, clock, reads, [Symbol.asyncDispose]: () => credentials[Symbol.asyncDispose]() };
}

const scope = { team: 'main', pipeline: 'site', job: 'unit' };

test('[CRED20] a variable is the secret of its pipeline, or else of its team', async () => {
  await using opened = openSecrets({
    'concourse-main/site.password': { value: "the pipeline's" },
    'concourse-main/password': { value: "the team's" },
    'concourse-main/token': { value: "the team's" },
    'concourse-other/token': { value: 'of others' },
  });
  const variables = opened.credentials.variables([], scope);
  expect(await lookUp(variables, 'password')).toBe("the pipeline's");
  expect(await lookUp(variables, 'token')).toBe("the team's");
  expect(await lookUp(variables, 'none')).toBeUndefined();
  expect(await variables.placesOf(reference('none'), never)).toEqual([
    'concourse-main/site.none',
    'concourse-main/none',
  ]);
  const oneOff = opened.credentials.variables([], { team: 'main' });
  expect(await lookUp(oneOff, 'password')).toBe("the team's");
});

test('[CRED21] a secret without the key `value` is a map, whose fields are its keys', async () => {
  await using opened = openSecrets({
    'concourse-main/db': { username: 'ann', password: 'p' },
    'concourse-main/both': { value: 'v', other: 'o' },
  });
  const variables = opened.credentials.variables([], scope);
  expect(await lookUp(variables, 'db.password')).toBe('p');
  expect(await lookUp(variables, 'db')).toEqual({ username: 'ann', password: 'p' });
  expect(await lookUp(variables, 'both')).toBe('v');
  await expect(lookUp(variables, 'db.none')).rejects.toThrow("missing field 'none'");
});

test('[CRED22] var sources may use them, and a name with a source is never looked up there', async () => {
  await using opened = openSecrets({ 'concourse-main/word': { value: 'sesame' } });
  const sources = [{ name: 'fixed', type: 'dummy', config: { vars: { a: '((word))' } } }] as const;
  const variables = opened.credentials.variables(sources, scope);
  expect(await lookUp(variables, 'fixed:a')).toBe('sesame');
  await expect(lookUp(variables, 'other:word')).rejects.toThrow("missing source 'other'");
});

test('[CRED23] answers are cached, and a cluster that does not answer is asked again', async () => {
  const away = new CredentialError('unavailable', 'away');
  const secrets: Record<string, Record<string, string> | Error> = { 'concourse-main/a': away };
  await using opened = openSecrets(secrets);
  const variables = opened.credentials.variables([], { team: 'main' });
  const found = lookUp(variables, 'a');
  await expect.poll(() => opened.reads.length).toBe(1);
  secrets['concourse-main/a'] = { value: 'here' };
  await opened.clock.advance(1_000);
  expect(await found).toBe('here');
  expect(await lookUp(variables, 'a')).toBe('here');
  expect(opened.reads).toHaveLength(2);
});
