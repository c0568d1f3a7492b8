import { BUILD_DIRECTORY, CONTROL_DIRECTORY, RECORDS_DIRECTORY, SIDECAR_DIRECTORY } from '@seaplane/baggageclaim';
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
    ...workMounts(directories),
  ];
}

export function sidecarMounts(directories: readonly string[]): VolumeMount[] {
  return [
    { name: 'control', mountPath: CONTROL_DIRECTORY, subPath: SHARED },
    { name: 'control', mountPath: SIDECAR_DIRECTORY, subPath: OWN },
    ...workMounts(directories),
  ];
}

/** The same in both containers, so that a path means the same to web, sidecar and process. */
function workMounts(directories: readonly string[]): VolumeMount[] {
  return [
    { name: 'work', mountPath: BUILD_DIRECTORY },
    ...directories.map((mountPath, index) => ({ name: 'work', mountPath, subPath: `.mounts/${index}` })),
  ];
}
