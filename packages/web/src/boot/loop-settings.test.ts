import { expect, test } from 'vitest';
import { COLLECTION_DEFAULTS, parseLoopSettings } from './loop-settings.ts';
import { Mistake } from './mistake.ts';

const parse = (flags: Readonly<Record<string, string>>) => parseLoopSettings((flag) => flags[flag]);

test('[WEB23] without flags the periods are those of Concourse, all logs are kept and no pipeline is paused', () => {
  expect(parse({})).toEqual({
    collection: COLLECTION_DEFAULTS,
    logRetention: { defaultBuilds: 0, defaultDays: 0, maxBuilds: 0, maxDays: 0 },
    pausePipelinesAfterDays: 0,
  });
});

test('[WEB23] each flag has its setting', () => {
  const settings = parse({
    'gc-interval': '10s',
    'gc-one-off-grace-period': '1m',
    'gc-missing-grace-period': '2m',
    'gc-hijack-grace-period': '3m',
    'gc-failed-grace-period': '0',
    'gc-check-recycle-period': '4m',
    'default-build-logs-to-retain': '5',
    'max-build-logs-to-retain': '6',
    'default-days-to-retain-build-logs': '7',
    'max-days-to-retain-build-logs': '8',
    'pause-pipelines-after': '9',
  });
  expect(settings).toEqual({
    collection: {
      intervalMs: 10_000,
      grace: { ...COLLECTION_DEFAULTS.grace, oneOffMs: 60_000, hijackMs: 180_000, failedMs: 0 },
      missingMs: 120_000,
      checkMs: 240_000,
    },
    logRetention: { defaultBuilds: 5, maxBuilds: 6, defaultDays: 7, maxDays: 8 },
    pausePipelinesAfterDays: 9,
  });
});

test.each([
  ['gc-interval', '1ms', 'at least 1s'],
  ['gc-failed-grace-period', 'soon', 'is not a duration'],
  ['pause-pipelines-after', '-1', 'is not a whole number'],
])('[WEB23] --%s %s is a mistake', (flag, value, message) => {
  expect(() => parse({ [flag]: value })).toThrow(Mistake);
  expect(() => parse({ [flag]: value })).toThrow(message);
});
