import { loadRuntime } from '@seaplane/baggageclaim/server';
import manifest from '../package.json' with { type: 'json' };
import { serveAgent } from './agent/agent.ts';
import { readBootId } from './agent/boot-id.ts';
import { resetDirectory } from './agent/reset-directory.ts';
import { placesIn, SUPERVISOR } from './places.ts';
import { READY, RESET, VARIABLE } from './protocol.ts';
import type { Registries } from './registries.ts';

async function main(): Promise<void> {
  const args = process.argv.slice(2);
  const [directory, ...more] = args.filter((arg) => arg !== RESET);
  if (!directory || more.length > 0) throw new Error(`usage: main.ts [${RESET}] DIRECTORY`);
  if (args.includes(RESET)) return resetDirectory(directory);
  // Everything that counts is in files, so the agent may end at any moment. It ends with the web that started it.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.once(signal, () => process.exit(0));
  process.stdin.on('close', () => process.exit(0)).resume();
  process.stdout.on('error', () => process.exit(0));
  process.on('unhandledRejection', (reason) => console.error(`not awaited: ${reason}`));
  process.umask(0o022);
  await serveAgent({
    places: placesIn(directory),
    supervisor: SUPERVISOR,
    bootId: await readBootId(),
    runtime: await loadRuntime(),
    installation: variable(VARIABLE.installation),
    publicKey: variable(VARIABLE.publicKey),
    authorityKey: variable(VARIABLE.authorityKey),
    nonce: variable(VARIABLE.nonce),
    plainProcesses: variable(VARIABLE.plainProcesses) === 'yes',
    registries: JSON.parse(variable(VARIABLE.registries)) as Registries,
    version: manifest.version,
  });
  process.stdout.write(`${READY}\n`);
}

function variable(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set`);
  return value;
}

await main().catch((error: Error) => {
  console.error(error.message);
  process.exit(1);
});
