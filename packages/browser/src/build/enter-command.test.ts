import fc from 'fast-check';
import { expect, test } from 'vitest';
import { enterCommand, hasSandbox } from './enter-command.ts';
import { LogCooker } from './log/log-cooker.ts';
import type { LeafStep } from './steps.ts';

function leaf(name: string, times: Partial<LeafStep> = {}): LeafStep {
  const base = { kind: 'leaf', id: '1', type: 'task', log: new LogCooker(), errors: [], image: [] } as const;
  return { ...base, errors: [], image: [], name, state: 'failed', worker: 'w', ...times };
}

test('[UI-ENTER1] a step with a sandbox has the command that enters it', () => {
  expect(enterCommand(7, leaf('unit'))).toBe('fly -t TARGET intercept -b 7 --step-type task -s unit');
  expect(hasSandbox(leaf('unit'))).toBe(true);
  expect(hasSandbox(leaf('unit', { state: 'succeeded' }))).toBe(false);
  expect(hasSandbox(leaf('p', { type: 'set_pipeline' }))).toBe(false);
  expect(hasSandbox({ ...leaf('unit'), worker: undefined } as unknown as LeafStep)).toBe(false);
});

test('[UI-ENTER1] whatever a step is called, its name is one word of the shell', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), (text) => {
      const command = enterCommand(7, leaf(text));
      const word = command.slice(command.indexOf(' -s ') + 4);
      // In single quotes every character stands for itself; a quote ends them.
      const parts = word.startsWith("'") ? word.slice(1, -1).split(String.raw`'\''`) : [word];
      expect(parts.join("'")).toBe(text);
      const isSafe = word.startsWith("'") ? parts.every((part) => !part.includes("'")) : /^[\w./:@-]+$/.test(word);
      expect(isSafe).toBe(true);
    }),
  );
});
