import { runStep } from './steps.ts';

process.exitCode = runStep('format', 'biome', ['check', '--write']) ? 0 : 1;
