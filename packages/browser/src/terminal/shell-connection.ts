import {
  inputMessages,
  processSpec,
  readShellMessage,
  resizeMessage,
  type ScreenSize,
  type ShellPlace,
} from './shell-messages.ts';

/** How a shell came to its end. */
export type ShellEnd =
  | { readonly kind: 'exited'; readonly status: number }
  | { readonly kind: 'failed'; readonly reason: string }
  /** The connection broke while the shell ran. */
  | { readonly kind: 'cut' }
  /** The server did not open a connection. A browser does not say why. */
  | { readonly kind: 'refused' };

export interface ShellListener {
  readonly onOutput: (bytes: Uint8Array<ArrayBuffer>) => void;
  /** Called once, unless the page closes the connection itself. */
  readonly onEnd: (end: ShellEnd) => void;
}

/** A shell in a sandbox: `bash`, or `sh` where there is none. Closing ends it. */
export class ShellConnection {
  readonly #address: string;
  readonly #place: ShellPlace;
  readonly #listener: ShellListener;
  #size: ScreenSize;
  #socket: WebSocket;

  constructor(address: string, place: ShellPlace, size: ScreenSize, listener: ShellListener) {
    this.#address = address;
    this.#place = place;
    this.#size = size;
    this.#listener = listener;
    this.#socket = this.#start('bash');
  }

  send(bytes: Uint8Array): void {
    for (const message of inputMessages(bytes)) this.#say(message);
  }

  resize(size: ScreenSize): void {
    this.#size = size;
    this.#say(resizeMessage(size));
  }

  close(): void {
    const socket = this.#socket;
    socket.onopen = null;
    socket.onmessage = null;
    socket.onclose = null;
    socket.close();
  }

  #say(message: string): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(message);
  }

  #start(program: 'bash' | 'sh'): WebSocket {
    const socket = new WebSocket(this.#address);
    let hasOpened = false;
    socket.onopen = () => {
      hasOpened = true;
      socket.send(processSpec(program, this.#place, this.#size));
    };
    socket.onmessage = ({ data }) => {
      const message = readShellMessage(String(data));
      if (message.kind === 'output') this.#listener.onOutput(message.bytes);
      else if (message.kind === 'no-program') {
        // The reason follows. Only a sandbox without `bash` is asked for another program.
        if (program !== 'bash') return;
        this.close();
        this.#socket = this.#start('sh');
      } else if (message.kind !== 'nothing') {
        this.close();
        this.#listener.onEnd(message);
      }
    };
    socket.onclose = () => this.#listener.onEnd({ kind: hasOpened ? 'cut' : 'refused' });
    return socket;
  }
}
