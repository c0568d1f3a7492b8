export { compileBaggageclaim, compileC, compileSupervisor } from './programs.ts';
