export { BuildTracker } from '../loops/build-tracker.ts';
export { scanner } from '../loops/scanner.ts';
export { ApiUser, type ShownEvent } from './api-user.ts';
export { GitDaemon } from './git-daemon.ts';
export { LocalWeb } from './local-web.ts';
export { readExample } from './read-example.ts';
export { freePort, RunningWeb, type WebOptions } from './running-web.ts';
