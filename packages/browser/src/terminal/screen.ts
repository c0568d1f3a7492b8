import '@xterm/xterm/css/xterm.css';
import { FitAddon } from '@xterm/addon-fit';
import { type ITheme, Terminal } from '@xterm/xterm';
import { bytesOf, type ScreenSize } from './shell-messages.ts';
import { WithoutInlineStyles } from './without-inline-styles.ts';

/** More output than this does not wait to be shown: a program that prints without end must not fill the memory. */
const MOST_WAITING_BYTES = 4 * 1024 * 1024;
const SCROLLBACK_LINES = 5_000;
const FONT = 'ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace';

/** The dark colours of logs, in both themes. */
const THEME: ITheme = {
  background: '#0f171c',
  foreground: '#e6eef2',
  cursor: '#5cc2c9',
  selectionBackground: '#2d4a57',
  black: '#5a6b75',
  red: '#ff8a80',
  green: '#6fdc9c',
  yellow: '#f2c55c',
  blue: '#7fb2ff',
  magenta: '#d8a3f0',
  cyan: '#6fd3da',
  white: '#e6eef2',
  brightBlack: '#8fa1ac',
  brightRed: '#ffb3ad',
  brightGreen: '#a1ecc0',
  brightYellow: '#ffe08a',
  brightBlue: '#aecdff',
  brightMagenta: '#e8c8f7',
  brightCyan: '#a6e8ec',
  brightWhite: '#ffffff',
};

export interface ScreenListener {
  readonly onInput: (bytes: Uint8Array) => void;
  readonly onResize: (size: ScreenSize) => void;
  /** Somebody wants to leave the terminal by keys. */
  readonly onLeave: () => void;
}

/** A terminal on the page. It takes the size of its place, also when that changes. Close it. */
export class Screen {
  readonly #terminal: Terminal;
  readonly #styles = new WithoutInlineStyles();
  readonly #observer: ResizeObserver;
  #waitingBytes = 0;
  #isLeavingOut = false;

  constructor(place: HTMLElement, { onInput, onResize, onLeave }: ScreenListener) {
    const terminal = new Terminal({
      fontFamily: FONT,
      fontSize: 13,
      scrollback: SCROLLBACK_LINES,
      theme: THEME,
      cursorBlink: false,
      screenReaderMode: true,
    });
    this.#terminal = terminal;
    const fit = new FitAddon();
    terminal.loadAddon(fit);
    this.#styles.during(() => terminal.open(place));
    fit.fit();
    const encoder = new TextEncoder();
    terminal.onData((text) => onInput(encoder.encode(text)));
    terminal.onBinary((text) => onInput(bytesOf(text)));
    terminal.onResize(({ cols: columns, rows }) => onResize({ columns, rows }));
    terminal.attachCustomKeyEventHandler((event) => {
      if (event.key === 'F6') {
        event.preventDefault();
        if (event.type === 'keydown') onLeave();
        return false;
      }
      // The browser copies what is selected. Without a selection, Ctrl+C goes to the program.
      return !(event.ctrlKey && event.key === 'c' && terminal.hasSelection());
    });
    this.#observer = new ResizeObserver(() => fit.fit());
    this.#observer.observe(place);
  }

  get size(): ScreenSize {
    return { columns: this.#terminal.cols, rows: this.#terminal.rows };
  }

  write(bytes: Uint8Array): void {
    if (this.#waitingBytes > MOST_WAITING_BYTES) {
      this.#isLeavingOut = true;
      return;
    }
    if (this.#isLeavingOut) {
      this.#isLeavingOut = false;
      this.#terminal.write('\r\n\x1b[0m[output was left out]\r\n');
    }
    this.#waitingBytes += bytes.length;
    this.#terminal.write(bytes, () => {
      this.#waitingBytes -= bytes.length;
    });
  }

  /** Shows a new, empty screen. */
  reset(): void {
    this.#terminal.reset();
  }

  focus(): void {
    this.#terminal.focus();
  }

  close(): void {
    this.#observer.disconnect();
    this.#terminal.dispose();
    this.#styles.end();
  }
}
