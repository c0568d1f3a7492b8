import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { newSecrets } from './secrets.ts';

function secretsOf(...values: unknown[]) {
  const secrets = newSecrets();
  for (const value of values) secrets.track(value);
  return secrets;
}

describe('redaction', () => {
  test('[ENG-RED1] replaces every occurrence of a secret', () => {
    expect(secretsOf('hunter2').redact('x hunter2 hunter2y\n')).toBe('x ((redacted)) ((redacted))y\n');
  });

  test('[ENG-RED1] takes secrets literally', () => {
    expect(secretsOf('a.b*(c)').redact('a.b*(c) axb*(c)')).toBe('((redacted)) axb*(c)');
  });

  test('[ENG-RED2] finds strings anywhere in a value', () => {
    const secrets = secretsOf({ user: 'admin', keys: ['first', { deep: 'second' }], port: 8080, on: true, none: null });
    expect(secrets.redact('admin first second 8080 true null')).toBe(
      '((redacted)) ((redacted)) ((redacted)) 8080 true null',
    );
  });

  test('[ENG-RED3] takes each line of a secret for itself, without the space around it', () => {
    const secrets = secretsOf('-----BEGIN KEY-----\n  abcdef  \nx\n\n-----END KEY-----\n');
    expect(secrets.redact('got abcdef x')).toBe('got ((redacted)) x');
    expect(secrets.redact('-----END KEY-----')).toBe('((redacted))');
  });

  test('[ENG-RED4] takes no single character for a secret', () => {
    expect(secretsOf('a', ' b ', '').redact('a b c')).toBe('a b c');
  });

  test('[ENG-RED5] replaces the longest secret where several begin', () => {
    expect(secretsOf('pass', 'password', 'passw').redact('password pass')).toBe('((redacted)) ((redacted))');
  });

  test('[ENG-RED6] knows how much of a text may be the beginning of a secret', () => {
    const secrets = secretsOf('hunter2', 'unterwegs');
    expect(secrets.unfinished('my hun')).toBe(3);
    expect(secrets.unfinished('my hunter')).toBe(6);
    expect(secrets.unfinished('hunter2')).toBe(0);
    expect(secrets.unfinished('')).toBe(0);
  });

  test('[ENG-RED6] does not take the end of a whole secret for the beginning of one', () => {
    const secrets = secretsOf('Xy7X', 'X7');
    expect(secrets.unfinished('it is Xy7X')).toBe(0);
    expect(secrets.unfinished('Xy7Xy7')).toBe(0);
    expect(secrets.unfinished('Xy7XX')).toBe(1);
  });

  test('[ENG-RED6] so a text in pieces is redacted as the whole is', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 8 });
    fc.assert(
      fc.property(fc.array(text, { maxLength: 4 }), fc.array(text), (values, pieces) => {
        const secrets = secretsOf(...values);
        let waiting = '';
        let logged = '';
        for (const piece of pieces) {
          waiting += piece;
          const kept = waiting.length - secrets.unfinished(waiting);
          logged += secrets.redact(waiting.slice(0, kept));
          waiting = waiting.slice(kept);
        }
        expect(logged + secrets.redact(waiting)).toBe(secrets.redact(pieces.join('')));
      }),
      { numRuns: 1000 },
    );
  });

  test('[ENG-RED7] remembers which variables it saw', () => {
    const secrets = newSecrets();
    const ref = { source: 'vault', path: 'db', fields: ['password'] };
    secrets.trackVariable(ref, 'hunter2');
    secrets.trackVariable({ ...ref }, 'hunter2');
    expect(secrets.variables()).toEqual([ref]);
    expect(secrets.knows({ ...ref })).toBe(true);
    expect(secrets.knows({ path: 'db', fields: ['password'] })).toBe(false);
    expect(secrets.redact('hunter2')).toBe('((redacted))');
  });
});

test('[ENG-RED10] with redaction off nothing is hidden, and variables are still known', () => {
  const secrets = newSecrets({ redact: false });
  const ref = { path: 'token', fields: [] };
  secrets.trackVariable(ref, 'hush');
  expect(secrets.redact('say hush')).toBe('say hush');
  expect(secrets.knows(ref)).toBe(true);
});
