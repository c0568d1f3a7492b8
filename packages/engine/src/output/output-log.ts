import type { BuildEvent } from '../events.ts';
import type { Clock, Journal, LogPosition, OutputSink } from '../seams.ts';
import type { Secrets } from '../secrets/secrets.ts';
import { splitText } from './split-text.ts';
import { seconds } from './step-events.ts';
import { unfinishedCharacter } from './utf8-tail.ts';

type Stream = keyof LogPosition;
const STREAMS: readonly Stream[] = ['stdout', 'stderr'];

/** How long an unfinished line is held back, so that lines stay whole and secrets within them are found. */
const HOLD_MS = 1000;
/** A line longer than this is logged in pieces. */
const LONGEST_LINE = 64 * 1024;
/** A log event has at most this many bytes of text, so that a reader can hold some events at a time. */
export const LARGEST_EVENT = 64 * 1024;
/** When more bytes than this wait for the journal, writers wait, too. */
const MOST_WAITING = 256 * 1024;

const NEWLINE = 0x0a;

/**
 * How much of the waiting output an append takes: whole lines, also an unfinished line that is late or long, or all.
 */
type Extent = 'lines' | 'unfinished' | 'all';

export interface OutputLogOptions {
  readonly clock: Clock;
  readonly journal: Journal;
  readonly secrets: Secrets;
  readonly planId: string;
}

/**
 * The output of a step's process on its way into the journal. Bytes come in; events with whole lines go out, in one
 * operation with the position of those bytes. So a crash between any two instructions neither loses nor doubles a byte:
 * bytes that still wait here are read again from the process.
 *
 * One append runs at a time; output that arrives meanwhile goes into the next. If an append fails, the next write or
 * flush throws its error. Close the log when the step is over: then nothing more is written, not even waiting output.
 */
export class OutputLog implements OutputSink {
  readonly #options: OutputLogOptions;
  readonly #waiting: Record<Stream, Uint8Array[]> = { stdout: [], stderr: [] };
  #logged: LogPosition | undefined;
  #appending: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;
  #hold: AbortController | undefined;
  #closed = false;

  constructor(options: OutputLogOptions) {
    this.#options = options;
  }

  async position(): Promise<LogPosition> {
    await this.#appending;
    this.#throwFailure();
    for (const stream of STREAMS) this.#waiting[stream] = [];
    this.#logged ??= await this.#options.journal.logPosition(this.#options.planId);
    return this.#logged;
  }

  async write(stream: Stream, bytes: Uint8Array): Promise<void> {
    this.#throwFailure();
    if (this.#closed) return;
    this.#logged ??= await this.#options.journal.logPosition(this.#options.planId);
    this.#waiting[stream].push(bytes);
    this.#append('lines');
    if (this.#waitingBytes() > MOST_WAITING) await this.#appending;
    this.#throwFailure();
  }

  async flush(): Promise<void> {
    while (this.#waitingBytes() > 0 && !this.#failure && !this.#closed) {
      this.#append('all');
      await this.#appending;
    }
    await this.#appending;
    this.#throwFailure();
  }

  async restart(): Promise<void> {
    await this.flush();
    const { stdout, stderr } = await this.position();
    if (stdout + stderr === 0) return;
    const beginning = { stdout: 0, stderr: 0 };
    await this.#options.journal.appendLog(this.#options.planId, [], beginning);
    this.#logged = beginning;
  }

  close(): void {
    this.#closed = true;
    this.#hold?.abort();
  }

  /** Starts an append, unless one is running. A running append checks for more output when it is done. */
  #append(extent: Extent): void {
    if (this.#appending || this.#failure || this.#closed) return;
    this.#appending = this.#appendAll(extent)
      .catch((error: unknown) => {
        this.#failure = { error };
      })
      .finally(() => {
        this.#appending = undefined;
        if (this.#waitingBytes() > 0) this.#holdBack();
      });
  }

  async #appendAll(extent: Extent): Promise<void> {
    for (let next = extent; !this.#closed; next = 'lines') {
      const { clock, journal, planId, secrets } = this.#options;
      const events: BuildEvent[] = [];
      const position: Record<Stream, number> = { ...(this.#logged as LogPosition) };
      for (const source of STREAMS) {
        const bytes = Buffer.concat(this.#waiting[source]);
        const taken = takeText(bytes, next, secrets);
        this.#waiting[source] = taken.length < bytes.length ? [bytes.subarray(taken.length)] : [];
        if (taken.length === 0) continue;
        position[source] += taken.length;
        // Redacted as a whole: a secret may be where the text is split.
        for (const payload of splitText(secrets.redact(taken.text), LARGEST_EVENT)) {
          events.push({ event: 'log', data: { payload, origin: { id: planId, source }, time: seconds(clock) } });
        }
      }
      if (events.length === 0) return;
      await journal.appendLog(planId, events, position);
      this.#logged = position;
    }
  }

  /** An unfinished line waits for its end, but not for ever. */
  #holdBack(): void {
    if (this.#hold || this.#closed || this.#failure) return;
    const hold = new AbortController();
    this.#hold = hold;
    this.#options.clock.sleep(HOLD_MS, hold.signal).then(
      () => {
        this.#hold = undefined;
        this.#append('unfinished');
      },
      () => {},
    );
  }

  #waitingBytes(): number {
    return STREAMS.flatMap((stream) => this.#waiting[stream]).reduce((sum, { length }) => sum + length, 0);
  }

  #throwFailure(): void {
    if (this.#failure) throw this.#failure.error;
  }
}

/** The text that can be logged now, and how many of the waiting bytes it stands for. */
function takeText(bytes: Buffer, extent: Extent, secrets: Secrets): { length: number; text: string } {
  if (extent === 'all') return { length: bytes.length, text: bytes.toString() };
  const lines = bytes.lastIndexOf(NEWLINE) + 1;
  if (extent === 'lines' && bytes.length - lines < LONGEST_LINE) {
    return { length: lines, text: bytes.toString('utf8', 0, lines) };
  }
  // Neither a character nor a secret may be cut in two.
  const whole = bytes.length - unfinishedCharacter(bytes);
  const text = bytes.toString('utf8', 0, whole);
  const kept = text.slice(0, text.length - secrets.unfinished(text));
  return { length: whole - bytesOfEnd(bytes.subarray(0, whole), text.slice(kept.length)), text: kept };
}

/** How many bytes the end of a text stands for. An invalid byte is shown as U+FFFD, which is longer in UTF-8. */
function bytesOfEnd(bytes: Buffer, end: string): number {
  if (!end.includes('\ufffd')) return Buffer.byteLength(end);
  let length = end.length;
  while (length < bytes.length && bytes.toString('utf8', bytes.length - length) !== end) length++;
  return length;
}
