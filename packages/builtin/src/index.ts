export { offeredTypes, provideBuiltInTypes } from './provide.ts';
