import { chown } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openSandboxServer, type SandboxServer } from '@seaplane/baggageclaim/server';
import type { SandboxState } from '@seaplane/orchestrator';
import { ownEnvironment } from '../plain-environment.ts';
import { sandboxPrefix } from '../protocol.ts';
import type { AgentSettings } from './agent-settings.ts';
import type { Cgroups } from './cgroups.ts';
import { enterArguments, plainArguments } from './enter-command.ts';
import { endKeeper, keeperState, lastWords, startKeeper } from './keeper.ts';
import { plainNotices } from './plain-sandbox.ts';
import { directoriesOf, placesOf, type SandboxPlaces, type SavedSandbox } from './sandbox-directory.ts';
import { ShownInputs } from './shown-inputs.ts';

/** How often an agent looks whether a keeper lives whose supervisor is not connected. */
const LOOK_MS = 200;
/** A keeper that has not begun after so many looks does not run: its program can't be executed, for example. */
const MOST_LOOKS = 50;

export interface SandboxEvents {
  onState(state: SandboxState): void;
  onNotice(text: string): void;
}

/**
 * A sandbox of this machine, while an agent runs. Its truth is in its directory and in its processes; an agent that starts
 * finds both.
 *
 * - _Pending_: its keeper is being started, or its supervisor has not connected yet.
 * - _Ready_: its supervisor is connected. It stays ready if the connection breaks, until its keeper has gone.
 * - _Failed_: its keeper has gone, or the machine was restarted since.
 * - _Gone_: it was destroyed, and its directory does not exist any more.
 */
export class LocalSandbox {
  readonly saved: SavedSandbox;
  readonly places: SandboxPlaces;
  readonly #settings: AgentSettings;
  readonly #cgroups: Cgroups;
  readonly #events: SandboxEvents;
  readonly #stop = new AbortController();
  #server: SandboxServer | undefined;
  #inputs: ShownInputs | undefined;
  #state: SandboxState = { phase: 'pending', reason: 'its processes are being started' };

  constructor(settings: AgentSettings, cgroups: Cgroups, saved: SavedSandbox, events: SandboxEvents) {
    this.#settings = settings;
    this.#cgroups = cgroups;
    this.#events = events;
    this.saved = saved;
    this.places = placesOf(settings.places, saved.spec.handle);
  }

  get state(): SandboxState {
    return this.#state;
  }

  get server(): SandboxServer | undefined {
    return this.#server;
  }

  /** The name of the sandbox's directory and of its cgroups. */
  get hash(): string {
    return basename(this.places.dir);
  }

  /** A process of this sandbox sees something of it, so it must stay. */
  uses(lower: string): boolean {
    return this.saved.image.artifact === lower || this.#inputs?.uses(lower) === true;
  }

  /** Takes up a sandbox whose directory is there: follows its processes, or starts them if they never were. */
  async open(): Promise<void> {
    const { bootId } = this.#settings;
    this.#inputs = await ShownInputs.open(this.#settings, this.saved, this.places);
    if (this.saved.bootId !== bootId) {
      this.#fail('node-lost', 'the machine was restarted while the sandbox was there');
      return;
    }
    await this.#serve();
    const { kind } = await keeperState(this.places);
    if (kind === 'unstarted') await this.#start();
    void this.#follow();
  }

  /** Ends the sandbox's processes. Its directory stays. */
  async end(): Promise<void> {
    this.#stop.abort();
    await endKeeper(this.places);
    await this.close();
    await this.#cgroups.remove(this.hash);
  }

  markGone(): void {
    this.#set({ phase: 'gone' });
  }

  /** Stops serving. The sandbox's processes go on. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#server?.[Symbol.asyncDispose]();
    this.#server = undefined;
  }

  async #serve(): Promise<void> {
    const { server, plainProcesses } = this.#settings;
    const { ids } = await this.#settings.mode();
    const { spec } = this.saved;
    const own = { handle: spec.handle, prefix: sandboxPrefix(spec.handle) };
    const options = { ...server, ...own, ...(this.#inputs && !plainProcesses ? { showHere: this.#inputs.show } : {}) };
    const directories = directoriesOf(this.places, spec);
    this.#server = await openSandboxServer(options, directories);
    if (spec.privileged || !ids) return;
    // The sandbox has these two as they are, and its root is this user.
    await chown(this.places.control, ids.base, ids.base);
    await chown(directories.socket, ids.base, ids.base);
  }

  async #start(): Promise<void> {
    const { spec, image } = this.saved;
    if (this.#settings.plainProcesses) return this.#startPlain();
    const { procs, missing } = await this.#cgroups.make(this.hash, spec.limits ?? {});
    for (const controller of missing) {
      this.#events.onNotice(
        `this machine gives the local worker no ${controller} cgroups: the step has no ${controller} limit`,
      );
    }
    const directories = directoriesOf(this.places, spec);
    const mode = await this.#settings.mode();
    await startKeeper(
      this.places,
      enterArguments({ mode, places: this.places, directories, spec, image, cgroups: procs }),
      image.env ?? [],
    );
  }

  async #startPlain(): Promise<void> {
    const { spec } = this.saved;
    for (const text of plainNotices(spec)) this.#events.onNotice(text);
    const env = Object.entries(ownEnvironment(process.env)).map(([name, value]) => `${name}=${value}`);
    await startKeeper(this.places, plainArguments(this.places, directoriesOf(this.places, spec)), env);
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stop;
    const link = this.#server?.sandbox.link;
    let unstarted = 0;
    while (!signal.aborted && link) {
      if (link.connected) {
        if (this.#state.phase === 'pending') this.#set({ phase: 'ready' });
        await sleep(LOOK_MS, undefined, { signal }).catch(() => {});
        continue;
      }
      await link.ready(AbortSignal.any([signal, AbortSignal.timeout(LOOK_MS)])).catch(() => {});
      if (signal.aborted || link.connected) continue;
      const { kind } = await keeperState(this.places);
      unstarted = kind === 'unstarted' ? unstarted + 1 : 0;
      if (kind === 'gone' || unstarted > MOST_LOOKS) return this.#lost(await lastWords(this.places));
    }
  }

  #lost(words: string | undefined): void {
    if (this.#stop.signal.aborted) return;
    const wasReady = this.#state.phase === 'ready';
    const why = words ?? 'its processes were killed from outside';
    this.#fail(wasReady ? 'ended' : 'cannot-start', `the sandbox has ended: ${why}`);
  }

  #fail(code: 'node-lost' | 'ended' | 'cannot-start', reason: string): void {
    this.#set({ phase: 'failed', code, reason });
  }

  #set(state: SandboxState): void {
    this.#state = state;
    this.#events.onState(state);
  }
}
