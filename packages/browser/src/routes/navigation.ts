import { type ReadonlySignal, signal } from '@preact/signals';
import { parseRoute } from './routes.ts';

/** The address of the page, and how to change it without loading the page again. */
export class Navigation {
  readonly #address = signal(current());
  /** `/path?query#fragment`. */
  readonly address: ReadonlySignal<string> = this.#address;

  /** Follows the browser's buttons, and links to pages of this application. */
  start(): void {
    window.addEventListener('popstate', () => this.#read());
    window.addEventListener('hashchange', () => this.#read());
    document.addEventListener('click', (event) => {
      const link = event.target instanceof Element ? event.target.closest('a') : null;
      const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
      if (!link || !isPlain || event.defaultPrevented || link.target || link.hasAttribute('download')) return;
      if (link.origin !== location.origin) return;
      // The browser itself goes to a place in the page, with the focus.
      if (link.hash && link.pathname === location.pathname && link.search === location.search) return;
      const address = link.pathname + link.search + link.hash;
      if (!parseRoute(address)) return;
      event.preventDefault();
      this.go(address);
    });
  }

  go(address: string): void {
    history.pushState(null, '', address);
    this.#read();
    window.scrollTo(0, 0);
  }

  /** Goes to an address of this server, which may be a page of another kind. */
  open(address: string): void {
    if (parseRoute(address)) this.go(address);
    else location.assign(address);
  }

  /** Changes the address in place, for example while somebody types. */
  replace(address: string): void {
    history.replaceState(null, '', address);
    this.#read();
  }

  #read(): void {
    this.#address.value = current();
  }
}

function current(): string {
  return location.pathname + location.search + location.hash;
}
