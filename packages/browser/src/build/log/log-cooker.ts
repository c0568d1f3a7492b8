import { EMPTY_LINE, keep, type LogLine, writeAt } from './log-line.ts';
import { applySgr, PLAIN, type TextStyle } from './style.ts';

/** An escape sequence: CSI with its parameters and its letter, OSC with its text, a character set, or two characters of another kind. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
const SEQUENCE = /^\x1b(?:\[([\d;:?]*)([@-~])|\](.*?)(?:\x07|\x1b\\)|[()*+].|[^[\]()*+])/s;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const PLAIN_TEXT = /[^\x00-\x1f\x7f]+/y;
/** A sequence that is longer than this is not one. */
const LONGEST_SEQUENCE = 4_096;
const TAB = 8;

/**
 * Turns a program's output into lines, as a terminal would show them: carriage returns and cursor moves write over what
 * is there, so a progress bar is one line. Output may be cut anywhere.
 */
export class LogCooker {
  readonly #lines: LogLine[] = [];
  #rest = '';
  #row = 0;
  #column = 0;
  #style: TextStyle = PLAIN;

  get lines(): readonly LogLine[] {
    return this.#lines;
  }

  write(payload: string, time: number): void {
    const text = this.#rest + payload;
    this.#rest = '';
    for (let at = 0; at < text.length; ) {
      const character = text[at] ?? '';
      if (character === '\x1b') {
        const used = this.#sequence(text.slice(at, at + LONGEST_SEQUENCE), time);
        if (used === 0) {
          this.#rest = text.slice(at);
          return;
        }
        at += used;
        continue;
      }
      PLAIN_TEXT.lastIndex = at;
      const run = PLAIN_TEXT.exec(text)?.[0];
      if (run !== undefined) {
        this.#put(run, time);
        at += run.length;
      } else {
        this.#control(character, time);
        at += 1;
      }
    }
  }

  #put(text: string, time: number): void {
    this.#change(writeAt(this.#line(), this.#column, text, this.#style, time));
    this.#column += text.length;
  }

  #control(character: string, time: number): void {
    if (character === '\n') {
      this.#change({ ...this.#line(), time: this.#line().time || time });
      this.#row += 1;
      this.#column = 0;
    } else if (character === '\r') this.#column = 0;
    else if (character === '\b') this.#column = Math.max(0, this.#column - 1);
    else if (character === '\t') this.#put(' '.repeat(TAB - (this.#column % TAB)), time);
  }

  /** Obeys the sequence at the start of the text. Returns its length, or 0 if its end has not come yet. */
  #sequence(text: string, time: number): number {
    const match = SEQUENCE.exec(text);
    if (!match) return text.length < LONGEST_SEQUENCE ? 0 : 1;
    const [whole, parameters, letter, osc] = match;
    if (letter !== undefined) this.#csi(letter, (parameters ?? '').split(/[;:]/).map(Number), time);
    else if (osc?.startsWith('8;')) this.#link(osc.slice(osc.indexOf(';', 2) + 1));
    return whole.length;
  }

  #csi(letter: string, parameters: readonly number[], time: number): void {
    const count = Math.max(1, parameters[0] || 1);
    switch (letter) {
      case 'm':
        this.#style = applySgr(this.#style, parameters);
        break;
      case 'A':
        this.#row = Math.max(0, this.#row - count);
        break;
      case 'B':
        this.#row = Math.min(Math.max(this.#row, this.#lines.length), this.#row + count);
        break;
      case 'C':
        this.#column += count;
        break;
      case 'D':
        this.#column = Math.max(0, this.#column - count);
        break;
      case 'G':
        this.#column = count - 1;
        break;
      case 'K':
        this.#erase(parameters[0] || 0, time);
        break;
    }
  }

  #erase(what: number, time: number): void {
    const line = this.#line();
    if (what === 0) this.#change(keep(line, 0, this.#column, time));
    else if (what === 2) this.#change({ ...EMPTY_LINE, time });
    else if (what === 1) {
      const blank = ' '.repeat(Math.min(this.#column, line.length));
      this.#change(writeAt(line, 0, blank, PLAIN, time));
    }
  }

  #link(address: string): void {
    const { href: _, ...style } = this.#style;
    this.#style = /^https?:\/\//i.test(address) ? { ...style, href: address } : style;
  }

  #line(): LogLine {
    return this.#lines[this.#row] ?? EMPTY_LINE;
  }

  #change(line: LogLine): void {
    while (this.#lines.length < this.#row) this.#lines.push(EMPTY_LINE);
    this.#lines[this.#row] = line;
  }
}
