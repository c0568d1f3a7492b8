/** The Concourse that this API is compatible with: fly refuses to talk to another major or minor version than its own. */
export const CONCOURSE_VERSION = '7.14.2';

/** What fly compares a worker's version with. Workers of ours carry the same. */
export const WORKER_VERSION = '2.5';
