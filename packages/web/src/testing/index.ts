export { BuildTracker } from '../loops/build-tracker.ts';
export { scanner } from '../loops/scanner.ts';
export { ApiUser, type ShownEvent } from './api-user.ts';
export { GitDaemon } from './git-daemon.ts';
export { freePort, RunningWeb, type WebOptions } from './running-web.ts';
