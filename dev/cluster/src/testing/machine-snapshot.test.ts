import { expect, test } from 'vitest';
import { addedSince } from './machine-snapshot.ts';

test('[CL10] new things of every kind are found; things that went away are not', () => {
  const before = { devices: 'lo:\neth0:\nseaplane0@if2:', sysctls: 'net/ipv4/ip_forward=0', mounts: '' };
  const after = { devices: 'lo:\neth0:\nseaplane8@if2:', sysctls: 'net/ipv4/ip_forward=1', mounts: '/run/x' };
  expect(addedSince(before, before)).toEqual([]);
  expect(addedSince(before, after)).toEqual([
    'devices: seaplane8@if2:',
    'sysctls: net/ipv4/ip_forward=1',
    'mounts: /run/x',
  ]);
});
