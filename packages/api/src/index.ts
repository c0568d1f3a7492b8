export { type Api, createApi } from './api.ts';
export { ApiError } from './api-error.ts';
export { type LocalUser, parseLocalUsers } from './auth/local-users.ts';
export { type FlyFile, listFly } from './cli/fly-files.ts';
export type * from './context.ts';
export { hijackUpgrade } from './hijack/upgrade.ts';
export { PLANE, PLANE_ICON } from './pages/plane.ts';
export { CONCOURSE_VERSION, WORKER_VERSION } from './version.ts';
