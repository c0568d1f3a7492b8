import { setTimeout as sleep } from 'node:timers/promises';
import { LayerStore } from '../registry/layer-store.ts';
import { pullImage } from '../registry/pull.ts';
import { parseReference } from '../registry/reference.ts';

// A process that pulls an image, for tests that kill it: `pull-once.ts REFERENCE LAYERS IMAGES`.
const [reference = '', layersDir = '', imagesDir = ''] = process.argv.slice(2);
const clock = { now: Date.now, sleep: (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal }) };
const layers = await LayerStore.open(layersDir);
const deps = { clock, layers, imagesDir, convertWhiteouts: async () => {} };
await pullImage(deps, parseReference(reference), { signal: new AbortController().signal });
