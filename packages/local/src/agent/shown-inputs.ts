import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ShowHere } from '@seaplane/baggageclaim/server';
import type { AgentSettings } from './agent-settings.ts';
import { inputArguments } from './enter-command.ts';
import type { SandboxPlaces, SavedSandbox } from './sandbox-directory.ts';

/** In the directory of each shown input: the name of the thing that its tree belongs to. */
const LOWER = 'lower';

/**
 * The inputs that a sandbox sees without a copy: each is an overlay on a tree of the store or of another sandbox. The mounts
 * live and die with the sandbox's processes. The names of the trees are on disk, so that the next agent keeps the trees, too.
 */
export class ShownInputs {
  readonly #settings: AgentSettings;
  readonly #saved: SavedSandbox;
  readonly #places: SandboxPlaces;
  readonly #lowers: Set<string>;

  private constructor(settings: AgentSettings, saved: SavedSandbox, places: SandboxPlaces, lowers: Set<string>) {
    this.#settings = settings;
    this.#saved = saved;
    this.#places = places;
    this.#lowers = lowers;
  }

  static async open(settings: AgentSettings, saved: SavedSandbox, places: SandboxPlaces): Promise<ShownInputs> {
    const names = await readdir(places.inputs).catch((): string[] => []);
    const lowers = await Promise.all(
      names.map((name) => readFile(join(places.inputs, name, LOWER), 'utf8').catch(() => '')), // killed before it was shown
    );
    return new ShownInputs(settings, saved, places, new Set(lowers));
  }

  uses(lower: string): boolean {
    return this.#lowers.has(lower);
  }

  /** An input that this machine can't show is loaded in another way, so its failure is not an error. */
  show: ShowHere = async (source, at, signal) => {
    const tree = this.#settings.findHere(source);
    if (!tree) return false;
    try {
      const scratch = join(this.#places.inputs, crypto.randomUUID());
      await mkdir(join(scratch, 'upper'), { recursive: true });
      await mkdir(join(scratch, 'work'));
      await writeFile(join(scratch, LOWER), tree.lower);
      this.#lowers.add(tree.lower); // before the tree is looked for: from here on it stays
      const [mode, lower] = await Promise.all([this.#settings.mode(), tree.locate()]);
      const args = inputArguments({ mode, places: this.#places, spec: this.#saved.spec, lower, scratch, at });
      await promisify(execFile)(this.#settings.supervisor, args, { env: {}, signal });
      return true;
    } catch (error) {
      signal.throwIfAborted();
      const { stderr, message } = error as Error & { stderr?: string };
      console.error(`the input ${at} of ${this.#saved.spec.handle} is copied: ${stderr?.trim() || message}`);
      return false;
    }
  };
}
