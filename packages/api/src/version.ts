/** The version of Concourse that this API is compatible with. fly refuses a server of another major or minor version. */
export const CONCOURSE_VERSION = '7.14.2';

/** fly compares the versions of workers with this one. Seaplane's workers have the same. */
export const WORKER_VERSION = '2.5';
