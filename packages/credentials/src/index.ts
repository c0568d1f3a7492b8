export { CredentialError, type CredentialErrorCode } from './credential-error.ts';
export { Credentials, type CredentialsOptions } from './credentials.ts';
export type { VarScope } from './manager.ts';
