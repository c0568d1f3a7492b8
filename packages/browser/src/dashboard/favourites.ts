import { signal } from '@preact/signals';
import type { PipelineAnswer } from '@seaplane/api/answers';

/** Concourse's keys: favourites survive a move from Concourse on the same address. */
const [PIPELINES, GROUPS] = ['favorited_pipelines', 'favorited_instance_groups'];

interface Group {
  readonly team_name: string;
  readonly name: string;
}

/** The pipelines and instance groups that the user of this browser has starred, the same in all its tabs. */
export class Favourites {
  readonly #ids = signal<readonly number[]>([]);
  readonly #groups = signal<readonly Group[]>([]);

  start(): void {
    this.#read();
    window.addEventListener('storage', ({ key }) => {
      if (key === PIPELINES || key === GROUPS || key === null) this.#read();
    });
  }

  has({ id }: Pick<PipelineAnswer, 'id'>): boolean {
    return this.#ids.value.includes(id);
  }

  hasGroup(team: string, name: string): boolean {
    return this.#groups.value.some((group) => group.team_name === team && group.name === name);
  }

  toggle(id: number): void {
    this.#read();
    const rest = this.#ids.value.filter((each) => each !== id);
    const isOn = rest.length < this.#ids.value.length;
    this.#ids.value = isOn ? rest : [...rest, id];
    localStorage.setItem(PIPELINES, JSON.stringify(this.#ids.value));
  }

  toggleGroup(team: string, name: string): void {
    this.#read();
    const rest = this.#groups.value.filter((group) => group.team_name !== team || group.name !== name);
    const isOn = rest.length < this.#groups.value.length;
    this.#groups.value = isOn ? rest : [...rest, { team_name: team, name }];
    localStorage.setItem(GROUPS, JSON.stringify(this.#groups.value));
  }

  #read(): void {
    this.#ids.value = listAt(PIPELINES).filter((id) => typeof id === 'number');
    this.#groups.value = listAt(GROUPS).filter(isGroup);
  }
}

/** Other programs may have written there. */
function listAt(key: string): readonly unknown[] {
  try {
    const list: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}

function isGroup(value: unknown): value is Group {
  const { team_name: team, name } = (value ?? {}) as Partial<Group>;
  return typeof team === 'string' && typeof name === 'string';
}
