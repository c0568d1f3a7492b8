import type { VOLUME_ERRORS } from './volume-routes.ts';

type VolumeErrorCode = keyof typeof VOLUME_ERRORS;

export class VolumeError extends Error {
  readonly code: VolumeErrorCode;

  constructor(code: VolumeErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'VolumeError';
    this.code = code;
  }
}
