import type { PublicPlan } from '@seaplane/config';
import type { BuildEvent } from '@seaplane/engine';
import { expect, test } from 'vitest';
import { EventPrinter } from './event-printer.ts';

const PLAN: PublicPlan = {
  id: '0',
  do: [
    { id: '1', get: { name: 'src', type: 'git' } },
    { id: '2', task: { name: 'unit', privileged: false, hermetic: false } },
    { id: '3', across: { vars: [{ name: 'x' }] } },
  ],
};

function print(events: readonly BuildEvent[], colors = false): string {
  let text = '';
  const write = (more: string) => {
    text += more;
  };
  const printer = new EventPrinter(PLAN, { write, colors });
  for (const event of events) printer.print(event);
  return text;
}

const log = (id: string, payload: string): BuildEvent => ({ event: 'log', data: { time: 0, origin: { id }, payload } });
const status = (value: 'started' | 'succeeded' | 'failed'): BuildEvent => ({
  event: 'status',
  data: { status: value, time: 0 },
});

test('[RUN10] a step’s name stands above its output, again after that of another', () => {
  const events = [
    status('started'),
    log('1', 'a\n'),
    log('1', 'b'),
    log('2', 'c\r\n'),
    log('1', 'd'),
    status('failed'),
  ];
  expect(print(events)).toBe('get src\na\nb\ntask unit\nc\nget src\nd\nfailed\n');
});

test('[RUN10] versions, exit statuses and errors are shown', () => {
  const at = (id: string) => ({ origin: { id }, time: 0 });
  const events: BuildEvent[] = [
    { event: 'initialize-get', data: at('1') },
    { event: 'finish-get', data: { ...at('1'), exit_status: 0, version: { ref: 'abc' } } },
    { event: 'finish-task', data: { ...at('2'), exit_status: 3 } },
    { event: 'error', data: { ...at('2'), message: 'no such image' } },
    { event: 'error', data: { ...at('output/0'), message: 'not shown' } },
  ];
  expect(print(events)).toBe('get src\nref: abc\ntask unit\nexit status 3\nno such image\n');
});

test('[RUN10] the steps of an across have their values, those of an image their own names', () => {
  const at = { origin: { id: '3' }, time: 0 };
  const step: PublicPlan = { id: '3/0/0', task: { name: 'each', privileged: false, hermetic: false } };
  const image: PublicPlan = { id: '2/image-get', get: { name: 'image', type: 'registry-image' } };
  const events: BuildEvent[] = [
    { event: 'across-substeps', data: { ...at, substeps: [{ step, values: ['go', 1] }] } },
    log('3/0/0', 'x\n'),
    { event: 'image-get', data: { ...at, plan: image } },
    log('2/image-get', 'y\n'),
  ];
  expect(print(events)).toBe('task each (go, 1)\nx\nget image\ny\n');
});

test('[RUN10] colours are for terminals', () => {
  const events = [log('2', '\x1b[1;3'), log('2', '1mred\x1b[0m\n'), status('succeeded')];
  expect(print(events)).toBe('task unit\nred\nsucceeded\n');
  expect(print(events, true)).toBe('\x1b[1mtask unit\x1b[0m\n\x1b[1;31mred\x1b[0m\n\x1b[32msucceeded\x1b[0m\n');
});
