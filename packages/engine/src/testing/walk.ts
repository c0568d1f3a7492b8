import type { Plan } from '@seaplane/config';
import type { BuildEvent } from '../events.ts';
import type { BuildInfo, BuildOutcome } from '../seams.ts';
import { Drained } from '../walk/interruption.ts';
import { walkBuild } from '../walk/walk-build.ts';
import { type ManualClock, manualClock, quiet } from './manual-clock.ts';
import { type Crash, emptyJournal, type JournalContents, type MemoryJournal, memoryJournal } from './memory-journal.ts';
import { memorySeams, TEST_BUILD } from './memory-seams.ts';
import { newWorld, type Script, type World } from './memory-world.ts';

/** A build with its surroundings in memory, to be walked as often as it takes. */
export interface TestBuild {
  readonly world: World;
  readonly contents: JournalContents;
  readonly clock: ManualClock;
  readonly abort: AbortController;
  /** Starts a walk. */
  walk(options?: { crash?: Crash; drain?: AbortSignal }): Walk;
  /** Starts a walk, and drains it when nothing more happens by itself. */
  walkAndLetGo(): Promise<void>;
}

export interface Walk {
  readonly outcome: Promise<BuildOutcome>;
  readonly journal: MemoryJournal;
}

export function testBuild(plan: Plan, scripts?: Record<string, Script>, build: Partial<BuildInfo> = {}): TestBuild {
  const world = newWorld(scripts);
  const clock = manualClock();
  const contents = emptyJournal(clock);
  const abort = new AbortController();
  const walk: TestBuild['walk'] = ({ crash, drain = new AbortController().signal } = {}) => {
    const journal = memoryJournal(contents, crash);
    const seams = memorySeams(world, journal, clock);
    return { journal, outcome: walkBuild(seams, { ...TEST_BUILD, ...build }, plan, { abort: abort.signal, drain }) };
  };
  return {
    world,
    contents,
    clock,
    abort,
    walk,
    async walkAndLetGo() {
      const drain = new AbortController();
      const ended = walk({ drain: drain.signal }).outcome.catch((error: unknown) => error);
      await quiet();
      drain.abort();
      const result = await ended;
      if (!(result instanceof Drained)) throw new Error(`the walk was not drained: ${JSON.stringify(result)}`);
    },
  };
}

/** Events in short: `id event what`, without times. */
export function shortEvents(events: readonly BuildEvent[]): string[] {
  return events.map(({ event, data }) => {
    const { origin, time: _time, ...rest } = data as { origin?: { id: string; source?: string }; time?: number };
    const detail =
      event === 'log' ? `${origin?.source} ${JSON.stringify((rest as { payload: string }).payload)}` : details(rest);
    return [origin?.id, event, detail].filter(Boolean).join(' ');
  });
}

/** The message of the last event, which must be an error. */
export function lastError({ events }: JournalContents): string {
  const last = events.at(-1);
  if (last?.event !== 'error') throw new Error(`the last event is not an error: ${JSON.stringify(last)}`);
  return last.data.message;
}

function details(data: object): string {
  return Object.keys(data).length === 0 ? '' : JSON.stringify(data);
}
