import { type HostServices, parseWorker } from '@seaplane/orchestrator';
import { expect, test } from 'vitest';
import { localKind } from './local-kind.ts';

const parse = (directory: unknown) => parseWorker([localKind], 'target', { kind: 'local', name: 'here', directory });

test('[LOCAL21] the operator says how many sandboxes of ended builds are kept', () => {
  const limitsOf = (more: object) => {
    const entry = { kind: 'local', name: 'here', directory: '/var/lib/seaplane/local', ...more };
    using host = parseWorker([localKind], 'target', entry).openHost({} as HostServices);
    return host.limits;
  };
  expect(limitsOf({})).toEqual({ roomWaitMs: 0, keptSandboxes: 50 });
  expect(limitsOf({ keptSandboxes: 3 })).toEqual({ roomWaitMs: 0, keptSandboxes: 3 });
  expect(() => limitsOf({ keptSandboxes: 'few' })).toThrow('target.keptSandboxes must be a whole number');
});

test('[LOCAL16] a worker of this machine has a directory, whose path is not too long for a socket', () => {
  expect(parse('/var/lib/seaplane/local').config).toMatchObject({ name: 'here', platform: 'linux' });
  expect(() => parse(undefined)).toThrow('target.directory is missing');
  expect(() => parse('local')).toThrow('target.directory must be an absolute path');
  expect(() => parse(`/${'x'.repeat(60)}`)).toThrow('target.directory has more than 56 bytes');
});
