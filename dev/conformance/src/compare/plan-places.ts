/** Names the steps of a build by their place in its plan, because each server makes up ids of its own. */
export class PlanPlaces {
  readonly #places = new Map<string, string>();
  readonly #dynamic = new Map<string, number>();

  /** Names every step of a public plan, in the order in which the plan is written. */
  add(plan: unknown, prefix = ''): void {
    let count = 0;
    visit(plan, (id) => {
      count++;
      if (!this.#places.has(id)) this.#places.set(id, `${prefix}${count}`);
    });
  }

  /** Names the steps of a plan that a step made while it ran, such as the fetch of its image. */
  addDynamic(parent: string, kind: string, plan: unknown): void {
    const place = `${this.placeOf(parent)}/${kind}`;
    const nth = (this.#dynamic.get(place) ?? 0) + 1;
    this.#dynamic.set(place, nth);
    this.add(plan, nth === 1 ? `${place}/` : `${place}${nth}/`);
  }

  placeOf(id: string): string {
    return this.#places.get(id) ?? 'unknown step';
  }

  has(id: string): boolean {
    return this.#places.has(id);
  }
}

/** Keys are visited in their alphabetical order: the order of JSON's keys means nothing. */
function visit(value: unknown, found: (id: string) => void): void {
  if (Array.isArray(value)) {
    for (const item of value) visit(item, found);
  } else if (typeof value === 'object' && value !== null) {
    const { id } = value as { id?: unknown };
    if (typeof id === 'string') found(id);
    for (const [, member] of Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) visit(member, found);
  }
}
