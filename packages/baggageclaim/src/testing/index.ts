export { compileC, compileSupervisor } from './programs.ts';
