import type { Stats } from 'node:fs';
import { mkdir, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { DirectoryStore, ProvideRegistryImage } from '@seaplane/baggageclaim/server';
import { HostError, type SandboxEvent, type SandboxSpec, WakeQueue } from '@seaplane/orchestrator';
import type { AgentSettings } from './agent-settings.ts';
import { Cgroups } from './cgroups.ts';
import { resolveImage } from './images.ts';
import { LayeredImages } from './layered-images.ts';
import { LocalSandbox } from './local-sandbox.ts';
import { NO_IMAGE, noImages, requirePlain } from './plain-sandbox.ts';
import {
  makeSandboxDirectory,
  readSaved,
  removeSandboxDirectory,
  removeTree,
  type SavedSandbox,
} from './sandbox-directory.ts';
import { lowerOfSandbox } from './trees-here.ts';

type Listener = (event: SandboxEvent) => void;

/** All sandboxes of the machine. Creating and destroying one are done one after the other for each handle. */
export class LocalSandboxes {
  readonly #settings: AgentSettings;
  readonly #cgroups: Cgroups;
  readonly #sandboxes = new Map<string, LocalSandbox>();
  readonly #listeners = new Set<Listener>();
  readonly #turns = new Map<string, Promise<unknown>>();
  readonly #stopped = new AbortController().signal; // a pull goes on until the agent ends
  #registry: Promise<LayeredImages> | undefined;

  constructor(settings: AgentSettings) {
    this.#settings = settings;
    this.#cgroups = new Cgroups(settings.places.root);
  }

  /** Takes up the sandboxes that are there. */
  async open(): Promise<void> {
    const { places } = this.#settings;
    await mkdir(places.sandboxes, { recursive: true });
    await mkdir(places.lowers, { recursive: true });
    const hashes = await readdir(places.sandboxes);
    for (const hash of hashes) {
      const saved = await readSaved(places, hash);
      if (saved) await this.#add(saved);
      else await removeSandboxDirectory(places, { dir: join(places.sandboxes, hash) });
    }
    await this.#cgroups.sweep(new Set(hashes));
    await this.#sweepLowers();
  }

  find(handle: string): LocalSandbox | undefined {
    return this.#sandboxes.get(handle);
  }

  handles(): string[] {
    return [...this.#sandboxes.keys()];
  }

  /** The artifact's tree is a lower of a sandbox that is there. Returns where it goes when it is deleted. */
  placeAfter = (artifact: string): string | undefined =>
    this.#isUsed(artifact) ? join(this.#settings.places.lowers, artifact) : undefined;

  /** Idempotent. Returns when the sandbox's directory is there; its processes follow. */
  create(store: DirectoryStore, spec: SandboxSpec): Promise<void> {
    return this.#inTurn(spec.handle, async () => {
      if (this.#sandboxes.has(spec.handle)) return;
      const { places, bootId, supervisor, plainProcesses } = this.#settings;
      if (plainProcesses) requirePlain(spec);
      const onNotice = (text: string) => this.#publish({ kind: 'notice', handle: spec.handle, text });
      const pull = async (reference: string) => (await this.#images()).pull(reference, onNotice, this.#stopped);
      const load = async (path: string, info: Stats) => (await this.#images()).load(path, info, this.#stopped);
      const findPulled = async (digest: string) => (await this.#images()).findPulled(digest);
      const image = plainProcesses
        ? NO_IMAGE
        : await resolveImage({ places, store, pull, load, findPulled }, spec.image);
      const saved = { spec, image, bootId };
      await makeSandboxDirectory(places, saved, supervisor);
      await this.#add(saved);
    });
  }

  /** Pulls an image for sandboxes that will ask for it. Idempotent. */
  provideRegistryImage: ProvideRegistryImage = async (request, onLine, signal) => {
    if (this.#settings.plainProcesses) throw noImages();
    return (await this.#images()).provide(request, onLine, signal);
  };

  /** Removes layers of images that no sandbox is made of and nobody has asked for for a while. */
  async collectImages(): Promise<void> {
    if (this.#settings.plainProcesses) return;
    const needed = (directory: string) =>
      [...this.#sandboxes.values()].some(({ saved }) => saved.image.lowers.includes(directory));
    await (await this.#images()).collect(needed);
  }

  /** Idempotent. Returns at once; the sandbox is gone when its processes have ended. */
  destroy(handle: string): void {
    this.#inTurn(handle, async () => {
      const sandbox = this.#sandboxes.get(handle);
      if (!sandbox) return;
      await sandbox.end();
      await this.#remove(sandbox);
      this.#sandboxes.delete(handle);
      sandbox.markGone();
      await this.#sweepLowers();
    }).catch((error: Error) => console.error(`cannot destroy ${handle}: ${error.message}`));
  }

  /** Every sandbox there is, then `synced`, then each change. */
  async *watch(signal: AbortSignal): AsyncGenerator<SandboxEvent> {
    const queue = new WakeQueue<SandboxEvent>();
    const listener: Listener = (event) => queue.push(event);
    this.#listeners.add(listener);
    try {
      for (const [handle, { state }] of this.#sandboxes) yield { kind: 'state', handle, state };
      yield { kind: 'synced' };
      yield* queue.drain(signal);
    } finally {
      this.#listeners.delete(listener);
    }
  }

  async #add(saved: SavedSandbox): Promise<void> {
    const { handle } = saved.spec;
    const sandbox = new LocalSandbox(this.#settings, this.#cgroups, saved, {
      onState: (state) => this.#publish({ kind: 'state', handle, state }),
      onNotice: (text) => this.#publish({ kind: 'notice', handle, text }),
    });
    this.#sandboxes.set(handle, sandbox);
    this.#publish({ kind: 'state', handle, state: sandbox.state });
    await sandbox.open().catch((error: Error) => {
      throw new HostError('cannot-start', `the sandbox ${handle} can't be made: ${error.message}`, { cause: error });
    });
  }

  #isUsed(lower: string): boolean {
    return [...this.#sandboxes.values()].some((sandbox) => sandbox.uses(lower));
  }

  /** A sandbox that has an input of another one stays on disk until that one has gone. */
  async #remove({ places, hash }: LocalSandbox): Promise<void> {
    const lower = lowerOfSandbox(hash);
    if (!this.#isUsed(lower)) return removeSandboxDirectory(this.#settings.places, places);
    await rename(places.dir, join(this.#settings.places.lowers, `${lower}@${crypto.randomUUID()}`));
  }

  /** Trees of deleted images, artifacts and sandboxes go with the last sandbox that uses them. */
  async #sweepLowers(): Promise<void> {
    const { lowers } = this.#settings.places;
    for (const name of await readdir(lowers)) {
      const [kind = '', hash] = name.split('@');
      if (!this.#isUsed(hash === undefined ? kind : lowerOfSandbox(hash))) await removeTree(join(lowers, name));
    }
  }

  #images(): Promise<LayeredImages> {
    this.#registry ??= LayeredImages.open(this.#settings).catch((error: unknown) => {
      this.#registry = undefined; // the next one tries again
      throw error;
    });
    return this.#registry;
  }

  #publish(event: SandboxEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  #inTurn<T>(handle: string, action: () => Promise<T>): Promise<T> {
    const turn = (this.#turns.get(handle) ?? Promise.resolve()).catch(() => {}).then(action);
    const done = turn.catch(() => {});
    this.#turns.set(handle, done);
    void done.then(() => {
      if (this.#turns.get(handle) === done) this.#turns.delete(handle);
    });
    return turn;
  }
}
