import { parseWorker } from '@seaplane/orchestrator';
import { expect, test } from 'vitest';
import { localKind } from './local-kind.ts';

const parse = (directory: unknown) => parseWorker([localKind], 'target', { kind: 'local', name: 'here', directory });

test('[LOCAL16] a worker of this machine has a directory, whose path is not too long for a socket', () => {
  expect(parse('/var/lib/seaplane/local').config).toMatchObject({ name: 'here', platform: 'linux' });
  expect(() => parse(undefined)).toThrow('target.directory is missing');
  expect(() => parse('local')).toThrow('target.directory must be an absolute path');
  expect(() => parse(`/${'x'.repeat(60)}`)).toThrow('target.directory has more than 56 bytes');
});
