import { expect, test } from 'vitest';
import { kubeconfigFile } from './kubernetes/pki.ts';
import {
  layoutOf,
  lockFileOf,
  MACHINE_LOCK,
  MOUNT_POINTS_MADE,
  SYSCTL_BACKUP,
  targetKubeconfigFile,
} from './layout.ts';

test('[CL12] no two things have the same path', () => {
  const layout = layoutOf(0);
  const names = ['admin', 'kubelet', 'controllers', 'scheduler', 'proxy'];
  const paths = [
    ...names.map((name) => kubeconfigFile(layout, name)),
    ...names.map((name) => targetKubeconfigFile(layout, name)),
    lockFileOf(0),
    lockFileOf(1),
    MACHINE_LOCK,
    MOUNT_POINTS_MADE,
    SYSCTL_BACKUP,
  ];
  expect(new Set(paths).size).toBe(paths.length);
});
