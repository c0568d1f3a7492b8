import type { Client } from '../api/client.ts';
import { BuildEvents } from './build-events.ts';

/** Asks for the events of a page's build as soon as its id is known, and before its plan is. */
export class EventsAhead {
  readonly #client: Client;
  #asked: BuildEvents | undefined;

  constructor(client: Client) {
    this.#client = client;
  }

  /** The events of a build. Those of another build are closed. */
  ask(buildId: number): BuildEvents {
    if (this.#asked?.buildId !== buildId) {
      this.close();
      this.#asked = new BuildEvents(this.#client, buildId);
    }
    return this.#asked as BuildEvents;
  }

  close(): void {
    this.#asked?.close();
    this.#asked = undefined;
  }
}
