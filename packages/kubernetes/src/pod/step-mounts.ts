import {
  BUILD_DIRECTORY,
  CONTROL_DIRECTORY,
  RECORDS_DIRECTORY,
  SIDECAR_DIRECTORY,
  sidecarPathOf,
} from '@seaplane/baggageclaim';
import type { VolumeMount } from '../api/wire.ts';

// Parts of two volumes, because the kubelet would wait for each further volume.
const SHARED = 'shared';
const RECORDS = `${SHARED}/records`;
const OWN = 'sidecar';

/**
 * The step's own container. It has the supervisor and its socket, but cannot replace them: connecting to a socket needs no
 * right to write to its mount. It does not have the sidecar's own files.
 */
export function mainMounts(directories: readonly string[]): VolumeMount[] {
  return [
    { name: 'control', mountPath: CONTROL_DIRECTORY, subPath: SHARED, readOnly: true },
    { name: 'control', mountPath: RECORDS_DIRECTORY, subPath: RECORDS },
    ...workMounts(directories, (path) => path),
  ];
}

/** None of these is at a path that the step has chosen: it would hide the sidecar's own files. */
export function sidecarMounts(directories: readonly string[]): VolumeMount[] {
  return [
    { name: 'control', mountPath: CONTROL_DIRECTORY, subPath: SHARED },
    { name: 'control', mountPath: SIDECAR_DIRECTORY, subPath: OWN },
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
