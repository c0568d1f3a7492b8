import { parseArgs } from 'node:util';
import manifest from '../package.json' with { type: 'json' };
import { BUILD_DIRECTORY, OUTPUT_DIRECTORY, RECORDS_DIRECTORY, SIDECAR_PORT, SUPERVISOR_SOCKET } from './protocol.ts';
import { directoriesBelow } from './sandbox.ts';
import { serveSandbox } from './serve.ts';

const USAGE = `baggageclaim                serves a sandbox

  --listen HOST:PORT   default 0.0.0.0:${SIDECAR_PORT}
  --dir DIR            the sandbox's directories are below this one, not where a pod has them
  SEAPLANE_HANDLE      whom tokens must be for
  SEAPLANE_PUBLIC_KEY  whose tokens are believed: Ed25519 keys, base64url, separated by commas`;

const DIRECTORIES = {
  socket: SUPERVISOR_SOCKET,
  records: RECORDS_DIRECTORY,
  build: BUILD_DIRECTORY,
  output: OUTPUT_DIRECTORY,
};

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { listen: { type: 'string', default: `0.0.0.0:${SIDECAR_PORT}` }, dir: { type: 'string' } },
  });
  const directories = values.dir ? directoriesBelow(values.dir) : DIRECTORIES;
  const identity = { handle: variable('SEAPLANE_HANDLE'), publicKeys: variable('SEAPLANE_PUBLIC_KEY').split(',') };
  const server = await serveSandbox({ ...identity, version: manifest.version, at: values.listen }, directories);
  console.error(`baggageclaim ${manifest.version} of ${identity.handle} listens at ${server.address}`);
  for (const signal of ['SIGTERM', 'SIGINT']) {
    process.once(signal, () => void server[Symbol.asyncDispose]().then(() => process.exit(0)));
  }
}

function variable(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set\n\n${USAGE}`);
  return value;
}

await main().catch((error: Error) => {
  console.error(error.message);
  process.exit(1);
});
