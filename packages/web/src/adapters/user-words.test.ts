import { ApiError } from '@seaplane/api';
import { BaggageclaimError } from '@seaplane/baggageclaim';
import { HostError, OrchestratorError } from '@seaplane/orchestrator';
import { expect, test } from 'vitest';
import { inUserWords } from './user-words.ts';

test.for([
  [
    new OrchestratorError('no-worker', "no workers satisfying: tag 'x'"),
    'unavailable',
    "no workers satisfying: tag 'x'",
  ],
  [new OrchestratorError('store-full', 'the store is full'), 'unavailable', 'the store is full'],
  [new OrchestratorError('artifact-too-large', 'larger than 1 GiB'), 'too-large', 'larger than 1 GiB'],
  [new HostError('location-gone', 'namespace ci is gone'), 'unavailable', 'namespace ci is gone'],
  [new BaggageclaimError('bad-request', 'no whole archive'), 'bad-request', 'no whole archive'],
  [new BaggageclaimError('unreachable', 'at 10.0.0.1'), 'unavailable', 'the worker does not answer: at 10.0.0.1'],
] as const)('[TELL1] %s is shown to the user', ([error, code, message]) => {
  const shown = inUserWords(error);
  expect(shown).toBeInstanceOf(ApiError);
  expect(shown).toMatchObject({ code, message, cause: error });
});

test.for([new Error('a defect'), new BaggageclaimError('internal', 'no'), new OrchestratorError('not-started', 'no')])(
  '[TELL1] %s is only logged',
  (error) => {
    expect(inUserWords(error)).toBe(error);
  },
);
