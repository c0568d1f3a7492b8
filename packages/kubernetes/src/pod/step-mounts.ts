import {
  BUILD_DIRECTORY,
  CONTROL_DIRECTORY,
  RECORDS_DIRECTORY,
  SIDECAR_DIRECTORY,
  sidecarPathOf,
} from '@seaplane/baggageclaim';
import type { VolumeMount } from '../api/wire.ts';

/**
 * The small volumes of a step's pod, all in memory: they hold secrets of the step, and a step that fills one can't fill another. Parts of one
 * volume would cost more: the kubelet mounts and unmounts each part that a container has by itself.
 */
export const CONTROL_VOLUMES = ['control', 'records', 'sidecar'] as const;

const RECORDS: VolumeMount = { name: 'records', mountPath: RECORDS_DIRECTORY };

/**
 * The step's own container. It has the supervisor and its socket, but cannot replace them: connecting to a socket needs no
 * right to write to its mount. It does not have the sidecar's own files.
 */
export function mainMounts(directories: readonly string[]): VolumeMount[] {
  return [
    { name: 'control', mountPath: CONTROL_DIRECTORY, readOnly: true },
    RECORDS,
    ...workMounts(directories, (path) => path),
  ];
}

/**
 * None of these is at a path that the step has chosen: it would hide the sidecar's own files. The sidecar starts first, so the mount point of
 * the records is there when the other container has its volume read-only.
 */
export function sidecarMounts(directories: readonly string[]): VolumeMount[] {
  return [
    { name: 'control', mountPath: CONTROL_DIRECTORY },
    RECORDS,
    { name: 'sidecar', mountPath: SIDECAR_DIRECTORY },
    ...workMounts(directories, sidecarPathOf),
  ];
}

/** The same directories in both containers. `at` says where a container has one that lies outside of the build directory. */
function workMounts(directories: readonly string[], at: (path: string) => string): VolumeMount[] {
  return [
    { name: 'work', mountPath: BUILD_DIRECTORY },
    ...directories.map((path, index) => ({ name: 'work', mountPath: at(path), subPath: `.mounts/${index}` })),
  ];
}
