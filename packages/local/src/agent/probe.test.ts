import { expect, test } from 'vitest';
import { parseProbe } from './probe.ts';

test('[LOCAL17] a machine that works tells how its sandboxes are made', () => {
  const root = '{"works":true,"privileged":true,"userxattr":false,"oneId":false,"hermetic":true,"cgroups":{}}\n';
  const ids = { base: 1_879_048_192, count: 65_536 };
  expect(parseProbe(root, '')).toEqual({ works: true, mode: { ids, userxattr: false, oneId: false } });
  const user = '{"works":true,"privileged":false,"userxattr":true,"oneId":true,"hermetic":true,"cgroups":{}}\n';
  expect(parseProbe(user, '')).toEqual({ works: true, mode: { userxattr: true, oneId: true } });
});

test('[LOCAL17] a machine that does not work tells why', () => {
  expect(parseProbe('{"works":false,"why":"no overlay; type: x"}\n', '')).toEqual({
    works: false,
    why: 'no overlay; type: x',
  });
  expect(parseProbe('', 'spawn EACCES')).toEqual({ works: false, why: 'spawn EACCES' });
});
