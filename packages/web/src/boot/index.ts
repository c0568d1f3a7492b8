/** How web reads its settings, and what they lead to. Other programs that work on the same installation import this. */
export { HELP, parseCommand, type WebConfig } from './config.ts';
export { loadWorkers } from './load-workers.ts';
export { localUsers } from './local-admin.ts';
export { logEmbeddedEvent } from './log-embedded-event.ts';
export { createLogger } from './logger.ts';
export { loadSigner } from './signing-key.ts';
export { stopSignal } from './stop-signal.ts';
export { troubleLog } from './trouble-log.ts';
export { WebError } from './web-error.ts';
