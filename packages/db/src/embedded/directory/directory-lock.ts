import { DatabaseSync } from 'node:sqlite';
import { DbError } from '../../errors.ts';

const SQLITE_BUSY = 5;

/**
 * Holds a lock file until released. The lock is the kernel's, so it goes with this process however that ends: there is
 * no stale lock to judge. Node has no call for such locks; SQLite takes them, and an open exclusive transaction on an
 * empty file is nothing but the lock. The file must not be opened in any other way: closing it then would unlock it.
 */
export class DirectoryLock implements Disposable {
  readonly #file: DatabaseSync;

  private constructor(file: DatabaseSync) {
    this.#file = file;
  }

  /** Returns undefined when another process, or another holder in this one, has the lock. Does not wait. */
  static acquire(path: string): DirectoryLock | undefined {
    let file: DatabaseSync | undefined;
    try {
      file = new DatabaseSync(path);
      file.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
      return new DirectoryLock(file);
    } catch (cause) {
      file?.close();
      if (cause instanceof Error && 'errcode' in cause && cause.errcode === SQLITE_BUSY) return undefined;
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new DbError('directory-unusable', `Cannot lock ${path}: ${reason}`, { cause });
    }
  }

  [Symbol.dispose](): void {
    if (this.#file.isOpen) this.#file.close();
  }
}
