/** `unplannable`: no plan can be made from the pipeline's configuration. Trying again would not help. */
export type SchedulerErrorCode = 'unplannable';

export class SchedulerError extends Error {
  readonly code: SchedulerErrorCode;

  constructor(code: SchedulerErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SchedulerError';
    this.code = code;
  }
}
