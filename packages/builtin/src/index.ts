export { type BuiltInName, offeredTypes, provideBuiltInTypes } from './provide.ts';
