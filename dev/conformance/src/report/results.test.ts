import { expect, test } from 'vitest';
import { compareWithCommitted, mergeResults, type SpecResult } from './results.ts';

const NAMES = ['beta', 'Alpha', 'alpha'];

function pass(name: string, seconds = 1): SpecResult {
  return { name, state: 'pass', seconds, reason: null };
}

function fail(name: string, reason = 'broken'): SpecResult {
  return { name, state: 'fail', seconds: 1, reason };
}

const earlier = mergeResults('suite', NAMES, [pass('beta'), fail('Alpha'), pass('alpha')], 99.6);

test('[CONF6] [CONF7] a full run replaces everything, sorted, counted, in whole seconds', () => {
  expect(earlier).toEqual({
    suite: 'suite',
    total: 3,
    passed: 2,
    seconds: 100,
    specs: [fail('Alpha'), pass('alpha'), pass('beta')],
  });
  const later = mergeResults('suite', NAMES, [fail('beta'), fail('Alpha'), fail('alpha')], 5, earlier);
  expect(later).toMatchObject({ passed: 0, seconds: 5 });
});

test('[CONF6] a focused run changes its specs and keeps the others, and the time of the full run', () => {
  const merged = mergeResults('suite', NAMES, [pass('Alpha', 7)], 8, earlier);
  expect(merged).toEqual({ ...earlier, passed: 3, specs: [pass('Alpha', 7), pass('alpha'), pass('beta')] });
});

test('[CONF6] a spec that no run has reached is skipped', () => {
  const merged = mergeResults('suite', NAMES, [pass('beta')], 8);
  expect(merged).toMatchObject({ total: 3, passed: 1, seconds: 0 });
  expect(merged.specs[0]).toEqual({ name: 'Alpha', state: 'skipped', seconds: 0, reason: 'never run on this host' });
});

test('[CONF6] a spec that the suite no longer has is dropped by a focused run too', () => {
  const merged = mergeResults('suite', ['alpha', 'beta'], [pass('beta')], 8, earlier);
  expect(merged.specs.map(({ name }) => name)).toEqual(['alpha', 'beta']);
});

test('[CONF8] a spec that passed and no longer does is a regression; one that did not and now does is a new pass', () => {
  const ran: SpecResult[] = [fail('alpha'), pass('Alpha'), { ...fail('beta'), state: 'skipped' }, pass('new')];
  expect(compareWithCommitted(ran, earlier)).toEqual({ regressions: ['alpha', 'beta'], newPasses: ['Alpha', 'new'] });
});

test('[CONF8] a spec that did not run is not a regression, nor is one that had failed before', () => {
  expect(compareWithCommitted([fail('Alpha', 'otherwise')], earlier)).toEqual({ regressions: [], newPasses: [] });
});

test('[CONF8] without committed results nothing can regress', () => {
  expect(compareWithCommitted([fail('alpha'), pass('beta')], undefined)).toEqual({
    regressions: [],
    newPasses: ['beta'],
  });
});
