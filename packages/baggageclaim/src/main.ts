import { parseArgs } from 'node:util';
import manifest from '../package.json' with { type: 'json' };
import { createApp } from './app.ts';
import { listen } from './listen.ts';
import { DEFAULT_LISTEN } from './volume-routes.ts';
import { openVolumes } from './volumes.ts';

const USAGE = `baggageclaim --root DIR [--listen HOST:PORT]

  --root DIR           where volumes are kept
  --listen HOST:PORT   default ${DEFAULT_LISTEN}; requests are not authenticated: keep it to this machine`;

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { root: { type: 'string' }, listen: { type: 'string' } } });
  if (!values.root) throw new Error(`--root is missing\n\n${USAGE}`);
  const start = performance.now();
  const app = createApp({
    volumes: await openVolumes(values.root),
    version: manifest.version,
    uptime: () => Math.floor((performance.now() - start) / 1000),
  });
  const listener = await listen(app.fetch, values.listen ?? DEFAULT_LISTEN);
  console.error(`baggageclaim ${manifest.version} listens at ${listener.address}`);

  const stop = () => {
    listener.stop().then(() => process.exit(0));
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}

await main().catch((error: Error) => {
  console.error(error.message);
  process.exit(1);
});
