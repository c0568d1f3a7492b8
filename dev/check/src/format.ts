import { runCommand, runStep, type Usage } from './steps.ts';

const USAGE: Usage = {
  takesArguments: false,
  text: `npm run format

Formats everything and applies the lint fixes that are safe.`,
};

await runCommand(USAGE, async () => runStep('format', 'biome', ['check', '--write']));
