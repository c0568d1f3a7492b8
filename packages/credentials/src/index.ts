export { CredentialError } from './credential-error.ts';
export { Credentials } from './credentials.ts';
export type { Identity } from './identity/identity.ts';
export type { IdentityKey } from './identity/make-identity-key.ts';
export { makeKeyApart } from './identity/make-key-apart.ts';
export type { CredentialManager, VarScope } from './manager.ts';
export { kubernetesSecrets } from './managers/kubernetes.ts';
