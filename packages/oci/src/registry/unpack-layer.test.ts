import { expect, test } from 'vitest';
import { tarFlagsIn } from './unpack-layer.ts';

test('[OCI17] owners are kept only where there are owners to keep, and /dev only outside of user namespaces', () => {
  const host = tarFlagsIn('         0          0 4294967295\n', true);
  expect(host).toContain('--same-owner');
  expect(host).toContain('--xattrs-include=security.capability');
  expect(host.join()).not.toContain('--exclude');
  const many = tarFlagsIn('         0      54321          1\n         1     400000      65535\n', true);
  expect(many).toContain('--same-owner');
  expect(many).toContain('--exclude=dev/*');
  const one = tarFlagsIn('         0      54321          1\n', true);
  expect(one).toContain('--no-same-owner');
  expect(tarFlagsIn('0 0 4294967295', false)).toContain('--no-same-owner');
});
