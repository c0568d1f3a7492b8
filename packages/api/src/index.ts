export { type Api, createApi } from './api.ts';
export { ApiError, type ApiErrorCode } from './api-error.ts';
export { type LocalUser, parseLocalUsers } from './auth/local-users.ts';
export type * from './context.ts';
export { type HijackUpgrade, hijackUpgrade } from './hijack/upgrade.ts';
export { CONCOURSE_VERSION, WORKER_VERSION } from './version.ts';
