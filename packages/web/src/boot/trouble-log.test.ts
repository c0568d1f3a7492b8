import { HostError } from '@seaplane/orchestrator';
import { expect, test } from 'vitest';
import { troubleLog } from './trouble-log.ts';

function record() {
  const lines: string[] = [];
  const logger = {
    warn: (text: string) => lines.push(`warn ${text}`),
    error: ({ err }: { err: Error }, text: string) => lines.push(`error ${text} (${err.message})`),
  };
  let now = 0;
  const tell = troubleLog(logger as never, () => now);
  return { lines, tell, after: (ms: number) => (now += ms) };
}

test('[LOG2] a problem that lasts is logged once, and again after a while', () => {
  const { lines, tell, after } = record();
  const away = (worker: string) => new HostError('unreachable', `worker ${worker} could not list its pods`);
  for (const what of ['watch of w', 'watch of w', 'collecting on w']) tell(what, away('w'));
  tell('watch of v', away('v'));
  expect(lines).toEqual(['warn worker w could not list its pods', 'warn worker v could not list its pods']);
  after(300_000);
  tell('watch of w', away('w'));
  expect(lines).toHaveLength(3);
});

test('[LOG2] an error that is not from a host may be a defect, and is logged with its stack', () => {
  const { lines, tell } = record();
  tell('collecting', new TypeError('x is undefined'));
  expect(lines).toEqual(['error collecting (x is undefined)']);
});
