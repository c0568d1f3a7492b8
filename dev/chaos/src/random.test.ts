import { expect, test } from 'vitest';
import { drawBuild, SHAPES } from './builds/build-spec.ts';
import { drawFault } from './faults/fault.ts';
import { Random } from './random.ts';

const KINDS = ['a', 'b', 'c'];

function drawn(seed: string) {
  const [builds, faults] = [new Random(seed).for('builds'), new Random(seed).for('faults')];
  return {
    builds: Array.from({ length: 40 }, (_, number) => drawBuild(builds, number)),
    faults: Array.from({ length: 40 }, (_, number) => drawFault(faults, number, KINDS)),
  };
}

test('[CHAOS1] the same seed draws the same faults and builds, another seed others', () => {
  expect(drawn('x')).toEqual(drawn('x'));
  expect(drawn('x').faults).not.toEqual(drawn('y').faults);
  expect(drawn('x').builds).not.toEqual(drawn('y').builds);
});

test('[CHAOS1] builds do not depend on how many faults were drawn', () => {
  const random = new Random('x');
  const faults = random.for('faults');
  for (let number = 0; number < 7; number++) drawFault(faults, number, KINDS);
  random.next();
  const builds = random.for('builds');
  expect(Array.from({ length: 40 }, (_, number) => drawBuild(builds, number))).toEqual(drawn('x').builds);
});

test('[CHAOS1] every shape and every kind is drawn sooner or later', () => {
  const { builds, faults } = drawn('x');
  expect(new Set(builds.map(({ shape }) => shape))).toEqual(new Set(SHAPES));
  expect(new Set(faults.map(({ kind }) => kind))).toEqual(new Set(KINDS));
});
