export { makeIdentityKey } from '../identity/make-identity-key.ts';
