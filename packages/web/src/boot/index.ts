/** Web's settings, and the workers, users and log that follow from them. Other programs on the same installation import it. */

export { openSecrets } from './cluster-secrets.ts';
export { HELP, parseCommand, type WebConfig } from './config.ts';
export type { KubernetesSecretsConfig } from './kubernetes-secrets.ts';
export { loadRoles } from './load-roles.ts';
export { loadLocalUsers } from './local-users.ts';
export { logEmbeddedEvent } from './log-embedded-event.ts';
export { logFailure } from './log-failure.ts';
export { createLogger } from './logger.ts';
export { openWorkers, workerOpener } from './open-workers.ts';
export { requireLocalWorker } from './require-local-worker.ts';
export { resetData } from './reset-data.ts';
export { loadStepDefaults } from './step-defaults.ts';
export { listenForStop } from './stop-signal.ts';
export { followTargets } from './targets-file.ts';
export { troubleLog } from './trouble-log.ts';
export { isWelcomed, markWelcomed } from './welcomed.ts';
