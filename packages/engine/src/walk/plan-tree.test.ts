import type { Plan } from '@seaplane/config';
import { describe, expect, test } from 'vitest';
import { hasBegun } from '../journal/has-begun.ts';
import { emptyJournal, memoryJournal } from '../testing/memory-journal.ts';
import { firstLeaves, mapPlans } from './plan-tree.ts';

const load = (id: string): Plan => ({ id, load_var: { name: id, file: 'a/b' } });
const get = (id: string, image: Plan): Plan => ({
  id,
  get: { name: id, type: 't', source: {}, image: { get_plan: image, check_plan: load(`${id}-check`) } },
});

const everything: Plan = {
  id: '1',
  ensure: {
    step: {
      id: '2',
      on_error: {
        step: {
          id: '3',
          on_abort: {
            step: {
              id: '4',
              on_failure: {
                step: { id: '5', on_success: { step: { id: '6', do: [load('7'), load('8')] }, on_success: load('9') } },
                on_failure: load('10'),
              },
            },
            on_abort: load('11'),
          },
        },
        on_error: { id: '12', in_parallel: { steps: [load('13'), { id: '14', retry: [load('15'), load('16')] }] } },
      },
    },
    ensure: {
      id: '17',
      do: [
        { id: '18', try: { step: load('19') } },
        { id: '20', timeout: { duration: '1m', step: get('21', load('22')) } },
      ],
    },
  },
};

describe('plans', () => {
  test('[ENG-PLAN1] are walked parents first, everything in them once, image plans too', () => {
    const seen: string[] = [];
    const same = mapPlans(everything, (plan) => {
      seen.push(plan.id);
      return plan;
    });
    const inOrder = Array.from({ length: 21 }, (_, index) => String(index + 1));
    expect(seen).toEqual([...inOrder, '21-check', '22']);
    expect(same).toEqual(everything);
  });

  test('[ENG-PLAN2] know which steps in them may be the first to do something', () => {
    const first = (plan: Plan) => firstLeaves(plan).map(({ id }) => id);
    expect(first(everything)).toEqual(['7']);
    expect(first({ id: '1', do: [{ id: '2', in_parallel: { steps: [] } }, load('3'), load('4')] })).toEqual(['3']);
    const retry: Plan = { id: '3', retry: [load('4'), load('5')] };
    expect(first({ id: '1', in_parallel: { steps: [load('2'), retry, load('6')] } })).toEqual(['2', '4', '6']);
    expect(first({ id: '1', do: [] })).toEqual([]);
  });

  test('[ENG-PLAN2] have begun when any of these has', async () => {
    const journal = memoryJournal(emptyJournal());
    const plan: Plan = { id: '1', in_parallel: { steps: [load('2'), load('3')] } };
    expect(await hasBegun(journal, plan)).toBe(false);
    await journal.record({ planId: '3', what: 'started' }, {});
    expect(await hasBegun(journal, plan)).toBe(true);
  });
});
