/**
 * The version of Concourse that this API answers as, unless the operator names another. fly refuses a server of another
 * major or minor version.
 */
export const CONCOURSE_VERSION = '8.2.5';

/** fly compares the versions of workers with this one. Seaplane's workers have the same. */
export const WORKER_VERSION = '2.5';
