import { expect, test } from 'vitest';
import { type BuildEvent, comparableEvents, parseEventStream } from './build-events.ts';

function plan(first: string, second: string): unknown {
  return { id: first, do: [{ id: second, task: { name: 't' } }] };
}

function log(id: string, source: string, payload: string): BuildEvent {
  return { event: 'log', version: '5.1', data: { time: 1, origin: { id, source }, payload } };
}

function start(id: string, time: number): BuildEvent {
  return { event: 'start-task', version: '5.0', data: { time, origin: { id } } };
}

test('[CONF24] a stream is read up to its end', () => {
  const text =
    'id: 0\nevent: event\ndata: {"event":"status","version":"1.0","data":{"status":"started"}}\n\nid: 1\nevent: end\ndata\n\n';
  expect(parseEventStream(text)).toEqual([{ event: 'status', version: '1.0', data: { status: 'started' } }]);
});

test('[CONF24] ids, times and how output was cut do not matter', () => {
  const one = comparableEvents(plan('a', 'b'), [start('b', 5), log('b', 'stdout', 'he'), log('b', 'stdout', 'llo')]);
  const two = comparableEvents(plan('x', 'y'), [log('y', 'stdout', 'hello'), start('y', 7)]);
  expect(one).toEqual(two);
  expect(one.output).toEqual({ '2 stdout': 'hello' });
  expect(one.order).toEqual(['start-task 2']);
});

test('[CONF24] text, stream, order and fields of events matter', () => {
  const of = (...events: BuildEvent[]) => comparableEvents(plan('a', 'b'), events);
  expect(of(log('b', 'stdout', 'x'))).not.toEqual(of(log('b', 'stderr', 'x')));
  expect(of(log('b', 'stdout', 'x'))).not.toEqual(of(log('b', 'stdout', 'y')));
  expect(of(start('a', 1), start('b', 1))).not.toEqual(of(start('b', 1), start('a', 1)));
  const finish = (exit: number): BuildEvent => ({
    event: 'finish-task',
    version: '4.0',
    data: { origin: { id: 'b' }, exit_status: exit },
  });
  expect(of(finish(0))).not.toEqual(of(finish(1)));
});

test('[CONF24] steps side by side have no order between them', () => {
  const both = { id: 'a', in_parallel: { steps: [{ id: 'b' }, { id: 'c' }] } };
  const one = comparableEvents(both, [start('b', 1), start('c', 1)]);
  expect(one).toEqual(comparableEvents(both, [start('c', 1), start('b', 1)]));
  expect(one.order).toBeUndefined();
});

test('[CONF24] a step that another one made has a place below it', () => {
  const image: BuildEvent = {
    event: 'image-get',
    version: '1.1',
    data: { origin: { id: 'b' }, plan: { id: 'b/image', get: { name: 'image' } } },
  };
  const { steps } = comparableEvents(plan('a', 'b'), [image, start('b/image', 1)]);
  expect(Object.keys(steps)).toEqual(['2', '2/image-get/1']);
});

test('[CONF24] events that only one side sends by design are left out', () => {
  const waiting: BuildEvent = { event: 'waiting-for-worker', version: '1.0', data: { origin: { id: 'b' } } };
  expect(comparableEvents(plan('a', 'b'), [waiting])).toEqual(comparableEvents(plan('a', 'b'), []));
});
