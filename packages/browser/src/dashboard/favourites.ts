import { type ReadonlySignal, signal } from '@preact/signals';

/** Concourse's key: favourites survive a move from Concourse on the same address. */
const KEY = 'favorited_pipelines';

/** The pipelines that the user of this browser has starred, the same in all its tabs. */
export class Favourites {
  readonly #ids = signal(read());
  readonly ids: ReadonlySignal<ReadonlySet<number>> = this.#ids;

  start(): void {
    window.addEventListener('storage', ({ key }) => {
      if (key === KEY || key === null) this.#ids.value = read();
    });
  }

  toggle(id: number): void {
    const ids = new Set(read());
    if (!ids.delete(id)) ids.add(id);
    localStorage.setItem(KEY, JSON.stringify([...ids]));
    this.#ids.value = ids;
  }
}

function read(): ReadonlySet<number> {
  try {
    const ids: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return new Set(Array.isArray(ids) ? ids.filter((id) => typeof id === 'number') : []);
  } catch {
    return new Set();
  }
}
