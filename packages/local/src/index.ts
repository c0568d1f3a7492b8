export { localKind } from './local-kind.ts';
export { resetLocal } from './reset-local.ts';
