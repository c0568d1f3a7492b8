import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BaggageclaimError } from '../../protocol/baggageclaim-error.ts';
import type { StoreLimits } from '../../protocol/messages.ts';

interface Account {
  readonly team: string;
  readonly bytes: number;
}

/** Sets how many bytes something has so far. Throws `too-large` or `full` when that is more than it may have. */
export type SetBytes = (bytes: number) => void;

/** The key of an artifact's image. No artifact's id holds a colon. */
export function imageKey(id: string): string {
  return `image:${id}`;
}

/**
 * How much a store holds, and for whom. Everything that the store keeps has an account, from the first byte that arrives
 * until it is deleted. So trees that arrive at the same time cannot exceed a limit together.
 *
 * `DIR/accounts/KEY` is the account of something that is there whole. It is written right after that: a store that is
 * killed in between leaves something without an account, which `open` measures. It belongs to no team then.
 */
export class Accounts {
  readonly #dir: string;
  readonly #capacity: number;
  readonly #accounts = new Map<string, Account>();
  readonly #bytesOfTeam = new Map<string, number>();
  #bytes = 0;

  private constructor(dir: string, capacity: number) {
    this.#dir = dir;
    this.#capacity = capacity;
  }

  /** `keys` is everything that the store holds. `measure` is called for what has no account. */
  static async open(
    dir: string,
    capacity: number,
    keys: readonly string[],
    measure: (key: string) => Promise<number>,
  ): Promise<Accounts> {
    const accounts = new Accounts(join(dir, 'accounts'), capacity);
    await mkdir(accounts.#dir, { recursive: true });
    const there = new Set(keys);
    for (const key of await readdir(accounts.#dir)) {
      const path = join(accounts.#dir, key);
      const account = there.has(key) ? await readAccount(path) : undefined;
      if (account) accounts.#set(key, account);
      else await rm(path, { force: true });
    }
    for (const key of there) {
      if (!accounts.#accounts.has(key)) accounts.#set(key, { team: '', bytes: await measure(key) });
    }
    return accounts;
  }

  /**
   * Runs `bring`, which makes the store hold one thing more, and sets its bytes unless it is there already. When `bring`
   * throws, it must leave nothing behind.
   */
  async charge<T>(key: string, limits: StoreLimits, bring: (set: SetBytes) => Promise<T>): Promise<T> {
    const arriving = `${key} ${crypto.randomUUID()}`;
    let account: Account | undefined;
    let exceeded: BaggageclaimError | undefined;
    const set: SetBytes = (bytes) => {
      account = { team: limits.team, bytes };
      this.#set(arriving, account);
      exceeded ??= this.#excess(key, bytes, limits);
      if (exceeded) throw exceeded;
    };
    try {
      const brought = await bring(set);
      if (account) await this.#open(key, account);
      return brought;
    } catch (error) {
      throw exceeded ?? (isDiskFull(error) ? diskFull(error as Error) : error);
    } finally {
      this.#set(arriving, undefined);
    }
  }

  /** To be called when it has been deleted. Idempotent. */
  async forget(key: string): Promise<void> {
    this.#set(key, undefined);
    await rm(join(this.#dir, key), { force: true });
  }

  #excess(key: string, bytes: number, { team, artifactBytes, teamBytes }: StoreLimits): BaggageclaimError | undefined {
    if (bytes > artifactBytes) {
      const what = key.startsWith(imageKey('')) ? `the image of ${key.slice(imageKey('').length)}` : key;
      const message = `${what} is larger than ${inWords(artifactBytes)}, the most that the store keeps of one artifact`;
      return new BaggageclaimError('too-large', message);
    }
    if ((this.#bytesOfTeam.get(team) ?? 0) > teamBytes) {
      const message = `the artifacts and caches of this team may have ${inWords(teamBytes)}, and ${key} would exceed that`;
      return new BaggageclaimError('full', message);
    }
    if (this.#bytes > this.#capacity) {
      const message = `it may hold ${inWords(this.#capacity)} of all teams together, and ${key} would exceed that`;
      return new BaggageclaimError('full', message);
    }
    return undefined;
  }

  #set(key: string, account: Account | undefined): void {
    const before = this.#accounts.get(key);
    if (before) this.#add(before.team, -before.bytes);
    if (account) this.#add(account.team, account.bytes);
    if (account) this.#accounts.set(key, account);
    else this.#accounts.delete(key);
  }

  #add(team: string, bytes: number): void {
    this.#bytes += bytes;
    this.#bytesOfTeam.set(team, (this.#bytesOfTeam.get(team) ?? 0) + bytes);
  }

  async #open(key: string, account: Account): Promise<void> {
    this.#set(key, account);
    const partial = join(this.#dir, ` ${crypto.randomUUID()}`); // no key holds a space
    try {
      await writeFile(partial, JSON.stringify(account));
      await rename(partial, join(this.#dir, key));
    } catch (error) {
      console.error(error); // the next start measures what has no account
    }
  }
}

/** Undefined for a file that a lost machine cut short. */
async function readAccount(path: string): Promise<Account | undefined> {
  try {
    const { team, bytes } = JSON.parse(await readFile(path, 'utf8')) as Account;
    return { team, bytes };
  } catch {
    return undefined;
  }
}

/** tar has words for a full disk. For a file that fits in part, it has others. */
const NO_ROOM = /No space left on device|Disk quota exceeded|Wrote only \d+ of \d+ bytes|ENOSPC|EDQUOT/;

function isDiskFull(error: unknown): boolean {
  return error instanceof Error && NO_ROOM.test(error.message);
}

function diskFull(cause: Error): BaggageclaimError {
  return new BaggageclaimError('full', `its disk has no room left: ${cause.message}`, { cause });
}

function inWords(bytes: number): string {
  return bytes < 2 ** 30 ? `${(bytes / 2 ** 20).toFixed(1)} MiB` : `${(bytes / 2 ** 30).toFixed(1)} GiB`;
}
