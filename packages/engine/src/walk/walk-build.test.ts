import { ConfigError, type Plan } from '@seaplane/config';
import { describe, expect, test } from 'vitest';
import type { StepIo } from '../seams.ts';
import { quiet } from '../testing/manual-clock.ts';
import { memoryJournal } from '../testing/memory-journal.ts';
import { memorySeams, TEST_BUILD } from '../testing/memory-seams.ts';
import type { Script } from '../testing/memory-world.ts';
import { getPlan, putPlan, taskPlan } from '../testing/plans.ts';
import { lastError, shortEvents, testBuild } from '../testing/walk.ts';
import { Drained } from './interruption.ts';
import { walkBuild } from './walk-build.ts';

const HOUR = 3_600_000;
const hangs: Script = { stdout: 'working\n', untilInterrupted: 'got TERM\n' };
const hanging = taskPlan('1', { name: 'hangs' });
const idsOf = (events: readonly string[]) => [...new Set(events.map((event) => event.split(' ')[0]))];

describe('a build', () => {
  test.each([
    ['succeeded', {}],
    ['failed', { exit: 1 }],
    ['errored', { error: 'no' }],
  ] as const)('[ENG-BUILD1] is %s as its plan is, and leaves the status event to others', async (status, script) => {
    const { walk, contents } = testBuild(taskPlan('1', { name: 't' }), { t: script });
    expect(await walk().outcome).toEqual({ status });
    expect(contents.events.some(({ event }) => event === 'status')).toBe(false);
  });

  test('[ENG-BUILD2] reports every error once, with the step that had it', async () => {
    const plan = {
      id: '0',
      ensure: {
        step: { id: 'p', in_parallel: { steps: [taskPlan('1', { name: 'bad' }), taskPlan('2', { name: 'worse' })] } },
        ensure: taskPlan('3', { name: 'bad' }),
      },
    };
    const { walk, contents } = testBuild(plan, { bad: { error: 'bad' }, worse: { error: 'worse' } });
    expect(await walk().outcome).toEqual({ status: 'errored' });
    expect(shortEvents(contents.events).filter((event) => event.includes(' error '))).toEqual([
      '1 error {"message":"bad"}',
      '2 error {"message":"worse"}',
      '3 error {"message":"bad"}',
    ]);
  });

  test('[ENG-BUILD2] reports an error that no step reported', async () => {
    const { walk, contents } = testBuild({ id: '1', timeout: { step: taskPlan('2'), duration: 'soon' } });
    expect(await walk().outcome).toEqual({ status: 'errored' });
    expect(shortEvents(contents.events)).toEqual(['1 error {"message":"time: invalid duration \\"soon\\""}']);
  });

  test('[ENG-BUILD3] errors when its plan holds a step that is not known', async () => {
    const { walk, contents } = testBuild({ id: '1', dance: {} } as unknown as Plan);
    expect(await walk().outcome).toEqual({ status: 'errored' });
    expect(lastError(contents)).toBe('the plan 1 is not of a kind that this version of Seaplane knows');
  });

  test('[ENG-BUILD4] numbers the attempts of its steps', async () => {
    const retry = (id: string, name: string): Plan => ({
      id,
      retry: [taskPlan(`${id}.1`, { name }), taskPlan(`${id}.2`, { name })],
    });
    const { walk, world } = testBuild(
      { id: '0', retry: [retry('a', 'bad'), retry('b', 'good')] },
      { bad: { exit: 1 } },
    );
    expect(await walk().outcome).toEqual({ status: 'succeeded' });
    expect([...world.processes.values()].map(({ attempt }) => attempt)).toEqual(['1.1', '1.2', '2.1']);
  });
});

describe('an abort', () => {
  test('[ENG-ABORT1] ends what runs, shows its last words, and runs hooks', async () => {
    const plan: Plan = {
      id: '0',
      ensure: {
        step: {
          id: 'e',
          on_error: {
            step: {
              id: 'f',
              on_failure: {
                step: { id: 'a', on_abort: { step: hanging, on_abort: putPlan('2') } },
                on_failure: putPlan('3'),
              },
            },
            on_error: putPlan('4'),
          },
        },
        ensure: putPlan('5'),
      },
    };
    const { walk, contents, abort } = testBuild({ id: 'd', do: [plan, putPlan('6')] }, { hangs });
    const { outcome } = walk();
    await quiet();
    abort.abort();
    expect(await outcome).toEqual({ status: 'aborted' });
    const events = shortEvents(contents.events);
    expect(idsOf(events)).toEqual(['1', '2', '5']);
    expect(events.filter((event) => event.startsWith('1 ')).slice(-3)).toEqual([
      '1 log stdout "working\\n"',
      '1 log stdout "got TERM\\n"',
      '1 error {"message":"interrupted"}',
    ]);
  });

  test('[ENG-ABORT2] before the start starts nothing', async () => {
    const { walk, contents, abort, world } = testBuild(getPlan('1'));
    abort.abort();
    expect(await walk().outcome).toEqual({ status: 'aborted' });
    expect(world.started).toEqual([]);
    expect(shortEvents(contents.events).at(-1)).toBe('1 error {"message":"interrupted"}');
  });

  test('[ENG-ABORT2] is an abort, whatever those who are stopped by it say', async () => {
    const load: Plan = { id: '2', load_var: { name: 'v', file: 'get-1/f' } };
    const { walk, contents, abort, world } = testBuild({ id: '0', do: [getPlan('1'), load] });
    world.artifacts.get = () => {
      abort.abort();
      throw new Error('socket hang up');
    };
    expect(await walk().outcome).toEqual({ status: 'aborted' });
    expect(lastError(contents)).toBe('interrupted');
  });

  test('[ENG-ABORT3] after a crash ends the process that still runs', async () => {
    const { walk, walkAndLetGo, contents, abort, world } = testBuild(hanging, { hangs });
    await walkAndLetGo();
    abort.abort();
    expect(await walk().outcome).toEqual({ status: 'aborted' });
    expect(world.processes.get('1')).toMatchObject({ interrupted: true, attached: 2 });
    expect(shortEvents(contents.events).slice(-2)).toEqual([
      '1 log stdout "got TERM\\n"',
      '1 error {"message":"interrupted"}',
    ]);
  });

  test('[ENG-ABORT4] can be followed by a drain', async () => {
    const plan: Plan = { id: '0', ensure: { step: hanging, ensure: taskPlan('2', { name: 'hook' }) } };
    const { walk, abort, world } = testBuild(plan, { hangs, hook: { untilInterrupted: '' } });
    const drain = new AbortController();
    const { outcome } = walk({ drain: drain.signal });
    await quiet();
    abort.abort();
    await quiet();
    expect(world.started).toEqual(['1', '2']);
    drain.abort();
    await expect(outcome).rejects.toThrow(Drained);
    world.scripts['hook'] = {};
    expect(await walk().outcome).toEqual({ status: 'aborted' });
    expect(world.started).toEqual(['1', '2']);
  });
});

test('[ENG-ABORT4] a drain does not wait for a process that is being ended', async () => {
  const { world, clock, contents, abort } = testBuild(hanging);
  const running = Promise.withResolvers<StepIo>();
  const seams = memorySeams(world, memoryJournal(contents), clock);
  const task = (io: StepIo) => {
    running.resolve(io);
    return new Promise<never>(() => {});
  };
  const drain = new AbortController();
  const signals = { abort: abort.signal, drain: drain.signal };
  const outcome = walkBuild({ ...seams, orchestrator: { ...seams.orchestrator, task } }, TEST_BUILD, hanging, signals);
  const { output } = await running.promise;
  abort.abort();
  drain.abort();
  await expect(outcome).rejects.toThrow(Drained);
  await output.write('stdout', Buffer.from('late\n'));
  await quiet();
  expect(contents.events.some(({ event }) => event === 'log')).toBe(false);
});

describe('the hook of an ensure', () => {
  test('[ENG-HOOK6] is not ended by an abort that came before it began, nor in later walks', async () => {
    const plan: Plan = {
      id: '0',
      ensure: { step: getPlan('1', { resource: 'r' }), ensure: taskPlan('2', { name: 'hook' }) },
    };
    const { walk, abort, world } = testBuild(plan, { hook: { untilInterrupted: '' } });
    world.saved.add = () => {
      abort.abort(); // the process has ended, so nobody notices
      return world.saved;
    };
    const drain = new AbortController();
    const { outcome } = walk({ drain: drain.signal });
    await quiet();
    expect(world.started).toEqual(['1', '2']);
    drain.abort();
    await expect(outcome).rejects.toThrow(Drained);
    world.scripts['hook'] = {};
    expect(await walk().outcome).toEqual({ status: 'succeeded' });
    expect(world.processes.get('2')).toMatchObject({ attached: 2, interrupted: false });
  });
});

describe('a drain', () => {
  test('[ENG-DRAIN1] leaves everything as it is, and a later walk goes on', async () => {
    const plan: Plan = { id: '0', ensure: { step: hanging, ensure: putPlan('2') } };
    const { walk, contents, world } = testBuild(plan, { hangs });
    const drain = new AbortController();
    const { outcome } = walk({ drain: drain.signal });
    await quiet();
    const events = shortEvents(contents.events);
    drain.abort();
    await expect(outcome).rejects.toThrow(Drained);
    expect(shortEvents(contents.events)).toEqual(events);
    expect(world.processes.get('1')?.interrupted).toBe(false);

    world.scripts['hangs'] = { stdout: 'working\ndone\n' };
    expect(await walk().outcome).toEqual({ status: 'succeeded' });
    expect(world.started).toEqual(['1', '2']);
    expect(
      shortEvents(contents.events)
        .filter((event) => event.startsWith('1 '))
        .slice(-3),
    ).toEqual(['1 log stdout "working\\n"', '1 log stdout "done\\n"', '1 finish-task {"exit_status":0}']);
  });

  test('[ENG-DRAIN2] from the start does nothing', async () => {
    const { walk, contents } = testBuild(getPlan('1'));
    await expect(walk({ drain: AbortSignal.abort() }).outcome).rejects.toThrow(Drained);
    expect(contents).toMatchObject({ events: [] });
    expect(contents.records.size).toBe(0);
  });

  test('[ENG-DRAIN3] a failing journal drains the walk, and the error says why', async () => {
    const { walk } = testBuild({ id: '0', in_parallel: { steps: [getPlan('1'), hanging] } }, { hangs });
    const error = await walk({ crash: { at: 6, lose: 'operation' } }).outcome.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Drained);
    expect((error as Drained).message).toContain('crash');
    expect((error as Drained).cause).toBeInstanceOf(Error);
  });
});

test('[ENG-DRAIN4] is what somebody asks for who cannot go on for now', async () => {
  const steps = [hanging, putPlan('2', { name: 'second', resource: 'r' })];
  const { walk, world } = testBuild({ id: '0', in_parallel: { steps } }, { hangs, second: { until: quiet } });
  const add = world.saved.add.bind(world.saved);
  world.saved.add = () => {
    throw new Drained('the database is away');
  };
  await expect(walk().outcome).rejects.toThrow('the database is away');
  expect(world.processes.get('1')).toMatchObject({ ended: false, interrupted: false });
  world.saved.add = add;
  world.scripts['hangs'] = {};
  expect(await walk().outcome).toEqual({ status: 'succeeded' });
  expect(world.started.toSorted()).toEqual(['1', '2']);
});

describe('a later walk', () => {
  test('[ENG-WALK1] asks nobody about a step that has ended', async () => {
    const plan = { id: '0', do: [getPlan('1'), putPlan('2'), taskPlan('3', { name: 't' })] };
    const { walk, world } = testBuild(plan, { t: { exit: 1 } });
    expect(await walk().outcome).toEqual({ status: 'failed' });
    world.scripts['t'] = { exit: 0 };
    expect(await walk().outcome).toEqual({ status: 'failed' });
    expect([...world.processes.values()].map(({ attached }) => attached)).toEqual([1, 1, 1]);
  });

  test('[ENG-TIME3] counts the timeout of a step by the journal’s clock, whatever that of the next web says', async () => {
    const plan = taskPlan('1', { name: 'hangs', timeout: '1h' });
    const { walkAndLetGo, clock, world, contents, abort } = testBuild(plan, { hangs });
    await walkAndLetGo();
    await clock.advance(HOUR / 2);
    const ahead = { ...clock, now: () => new Date(clock.now().getTime() + 2 * HOUR) };
    const signals = { abort: abort.signal, drain: new AbortController().signal };
    const outcome = walkBuild(memorySeams(world, memoryJournal(contents), ahead), TEST_BUILD, plan, signals);
    await clock.advance(HOUR / 2 - 1);
    expect(contents.events.some(({ event }) => event === 'error')).toBe(false);
    await clock.advance(1);
    expect(await outcome).toEqual({ status: 'failed' });
  });

  test('[ENG-WALK2] counts the timeout of a step from when its worker was chosen', async () => {
    const { walk, clock, world, contents } = testBuild(taskPlan('1', { name: 'hangs', timeout: '1h' }), { hangs });
    const drain = new AbortController();
    const first = walk({ drain: drain.signal });
    await clock.advance(3_000_000);
    drain.abort();
    await expect(first.outcome).rejects.toThrow(Drained);
    const second = walk();
    await clock.advance(599_999);
    expect(world.processes.get('1')?.interrupted).toBe(false);
    await clock.advance(1);
    expect(await second.outcome).toEqual({ status: 'failed' });
    expect(lastError(contents)).toBe('timeout exceeded');
  });

  test('[ENG-RED9] redacts what an earlier one looked up', async () => {
    const plan = { id: '0', do: [putPlan('1', { source: { token: '((token))' } }), taskPlan('2', { name: 'leaks' })] };
    const { walk, walkAndLetGo, world, contents } = testBuild(plan, { leaks: { untilInterrupted: '' } });
    world.variables['token'] = 'hunter2';
    await walkAndLetGo();
    world.scripts['leaks'] = { stdout: 'it is hunter2\n' };
    expect(await walk().outcome).toEqual({ status: 'succeeded' });
    expect(shortEvents(contents.events)).toContain('2 log stdout "it is ((redacted))\\n"');
  });

  test('[ENG-RED9] does not go on when it cannot know what to redact', async () => {
    const plan = { id: '0', do: [putPlan('1', { source: { token: '((token))' } }), taskPlan('2', { name: 'leaks' })] };
    const { walk, walkAndLetGo, world } = testBuild(plan, { leaks: { untilInterrupted: '' } });
    world.variables['token'] = 'hunter2';
    await walkAndLetGo();
    world.variables['token'] = () => {
      throw new Error('vault is sealed');
    };
    await expect(walk().outcome).rejects.toThrow('vault is sealed');
  });

  test('[ENG-RED9] goes on when nobody can know any more', async () => {
    const plan = {
      id: '0',
      do: [putPlan('1', { source: { token: '((vault:token))' } }), taskPlan('2', { name: 'slow' })],
    };
    const { walk, walkAndLetGo, world } = testBuild(plan, { slow: { untilInterrupted: '' } });
    world.variables['vault:token'] = 'hunter2';
    await walkAndLetGo();
    world.variables['vault:token'] = () => {
      throw new ConfigError('missing-source', "missing source 'vault' in var: vault:token");
    };
    world.scripts['slow'] = {};
    expect(await walk().outcome).toEqual({ status: 'succeeded' });
  });

  test('[ENG-WALK3] does not give up a step that runs because its variables cannot be looked up just now', async () => {
    const { walk, walkAndLetGo, world } = testBuild(putPlan('1', { name: 'slow', source: { token: '((token))' } }), {
      slow: { untilInterrupted: '' },
    });
    world.variables['token'] = 'hunter2';
    await walkAndLetGo();
    world.variables['token'] = () => {
      throw new Error('vault is sealed');
    };
    await expect(walk().outcome).rejects.toThrow('cannot look up ((token)) again: vault is sealed');
    world.variables['token'] = 'hunter2';
    world.scripts['slow'] = {};
    expect(await walk().outcome).toEqual({ status: 'succeeded' });
    expect(world.started).toEqual(['1']);
  });

  test('[ENG-RED10] with redaction off looks nothing up again', async () => {
    const { walk, world, clock, contents, abort } = testBuild(putPlan('1', { source: { token: '((token))' } }));
    world.variables['token'] = 'hunter2';
    await walk().outcome;
    world.variables['token'] = () => {
      throw new Error('vault is sealed');
    };
    const seams = { ...memorySeams(world, memoryJournal(contents), clock), redactSecrets: false };
    const signals = { abort: abort.signal, drain: new AbortController().signal };
    expect(await walkBuild(seams, TEST_BUILD, putPlan('1'), signals)).toEqual({ status: 'succeeded' });
  });
});
