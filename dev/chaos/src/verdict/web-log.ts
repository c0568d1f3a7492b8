import type { Violation } from './judge.ts';

/** Errors that no fault of the outside explains: defects of web itself. */
const DEFECT = /unhandled|uncaught|TypeError|RangeError|ReferenceError|SyntaxError|AssertionError|heap out of memory/i;

/** Lines of web's log that show a defect, each once. */
export function findDefects(name: string, log: string): Violation[] {
  const lines = log.split('\n').filter((line) => DEFECT.test(line));
  const texts = new Map(lines.map((line) => [line.replace(/"time":\d+/, ''), line]));
  return [...texts.values()].map((seen) => ({
    build: '-',
    step: name,
    expected: 'no defect in the log of web',
    seen: seen.slice(0, 1500),
  }));
}
