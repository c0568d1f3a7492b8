import manifest from '../package.json' with { type: 'json' };
import { parseArguments } from './arguments.ts';
import {
  ADDRESS_VARIABLE,
  AUTHORITY_VARIABLE,
  directoriesBelow,
  IMAGE_PORT,
  INSTALL_SUPERVISOR,
  MOUNTS_VARIABLE,
  podDirectories,
  RELAY_PORT,
  SIDECAR_PORT,
  SUPERVISOR_PATH,
  WITNESS_VARIABLE,
  type Witness,
} from './protocol/places.ts';
import { loadRuntime } from './server/runtime/load-runtime.ts';
import { installSupervisor } from './server/sidecar/install-supervisor.ts';
import { serveSandbox } from './server/sidecar/serve-sandbox.ts';

const USAGE = `baggageclaim              serves a sandbox, as its sidecar
baggageclaim store DIR    serves a target's artifacts and images, which it keeps in DIR
baggageclaim resource TYPE check|in|out [DIRECTORY]    is a built-in resource type: git, registry-image or time

  --listen HOST:PORT         default 0.0.0.0:${SIDECAR_PORT}
  --listen-images HOST:PORT  store only: where images are served, default 0.0.0.0:${IMAGE_PORT}
  --listen-relay HOST:PORT   store only: where web is connected with pods, default 127.0.0.1:${RELAY_PORT}
  --capacity BYTES           store only: how much it may hold, default what the disk takes
  --dir DIR                  sidecar only: the sandbox's directories are below DIR, not where a pod has them

  SEAPLANE_HANDLE      the name of this sandbox or store; tokens must be made for it
  SEAPLANE_PUBLIC_KEY  the keys that tokens may be signed with: Ed25519, base64url, separated by commas
  ${AUTHORITY_VARIABLE}  the key that this server's certificate is signed with: P-256, PKCS #8, base64url
  ${MOUNTS_VARIABLE}      sidecar of a pod only: the volumes outside of the build directory, a JSON list of paths
  ${WITNESS_VARIABLE}     sidecar of a hermetic step only: the store of its worker, JSON: name and url
  ${ADDRESS_VARIABLE}     store only: the address of its pod`;

async function main(): Promise<void> {
  if (process.argv[2] === 'resource') {
    // Imported here, so that a sidecar is ready sooner. It takes signals by itself.
    const { runProgram } = await import('@seaplane/builtin/program');
    return runProgram(process.argv.slice(3));
  }
  // Exits at once, at any moment: everything that counts is in files, and clients ask again.
  for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => process.exit(0));
  // When a stream that feeds a program breaks, Bun also rejects a promise that no code holds. The program's exit status
  // reports the same failure.
  process.on('unhandledRejection', (reason) => console.error(`not awaited: ${reason}`));
  const { options: asked, positionals } = parseArguments(process.argv.slice(2), [
    'listen',
    'listen-images',
    'listen-relay',
    'capacity',
    'dir',
  ]);
  const handle = variable('SEAPLANE_HANDLE');
  const options = {
    runtime: await loadRuntime(),
    handle,
    publicKeys: variable('SEAPLANE_PUBLIC_KEY').split(','),
    authorityKey: variable(AUTHORITY_VARIABLE),
    version: manifest.version,
    at: asked['listen'] ?? `0.0.0.0:${SIDECAR_PORT}`,
  };
  const [mode, dir, ...more] = positionals;
  if (mode === undefined) {
    const mounts = parseMounts(process.env[MOUNTS_VARIABLE] ?? '[]');
    const directories = asked['dir'] ? directoriesBelow(asked['dir']) : podDirectories(mounts);
    const witness = parseWitness(process.env[WITNESS_VARIABLE]);
    const [server] = await Promise.all([
      serveSandbox({ ...options, ...witness }, directories),
      asked['dir'] ? undefined : installSupervisor(INSTALL_SUPERVISOR[0], SUPERVISOR_PATH),
    ]);
    console.error(`baggageclaim ${manifest.version} of ${handle} listens at ${server.address}`);
    return;
  }
  if (mode !== 'store' || !dir || more.length > 0) throw new Error(USAGE);
  // Imported here, so that a sidecar is ready sooner.
  const { describeUsage, serveStore } = await import('./server/store/serve-store.ts');
  const imagesAt = asked['listen-images'] ?? `0.0.0.0:${IMAGE_PORT}`;
  const relayAt = asked['listen-relay'] ?? `127.0.0.1:${RELAY_PORT}`;
  const address = process.env[ADDRESS_VARIABLE];
  const {
    address: listensAt,
    imageAddress,
    relayAddress,
    usage,
  } = await serveStore(
    { ...options, imagesAt, relayAt, ...parseCapacity(asked['capacity']), ...(address && { address }) },
    dir,
  );
  console.error(
    `the store ${handle} listens at ${listensAt}, serves images at ${imageAddress} and relays at ${relayAddress}`,
  );
  console.error(`the store ${handle} ${describeUsage(usage)}`);
}

function parseMounts(text: string): string[] {
  const mounts: unknown = JSON.parse(text);
  if (Array.isArray(mounts) && mounts.every((path) => typeof path === 'string')) return mounts;
  throw new Error(`${MOUNTS_VARIABLE} is not a list of paths\n\n${USAGE}`);
}

/** A witness that is malformed must end the sidecar: without one, nothing is proven. */
function parseWitness(text: string | undefined): { witness?: Witness } {
  if (text === undefined) return {};
  const { name, url } = JSON.parse(text) as Partial<Witness>;
  if (name && url) return { witness: { name, url } };
  throw new Error(`${WITNESS_VARIABLE} has no name or no url\n\n${USAGE}`);
}

function parseCapacity(text: string | undefined): { capacity?: number } {
  if (text === undefined) return {};
  if (/^\d{1,15}$/.test(text)) return { capacity: Number(text) };
  throw new Error(`--capacity is not a number of bytes: ${text}\n\n${USAGE}`);
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
