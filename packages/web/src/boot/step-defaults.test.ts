import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadStepDefaults, parseStepDefaults } from './step-defaults.ts';

const read = (flags: Readonly<Record<string, string>>) => (flag: string) => flags[flag];

test('[WEB12] the settings for steps that say nothing themselves', () => {
  expect(parseStepDefaults(read({}))).toEqual({});
  expect(
    parseStepDefaults(
      read({
        'default-get-timeout': '1h30m',
        'default-put-timeout': '10s',
        'default-task-timeout': '24h',
        'default-task-cache-ttl': '168h',
        'default-task-cpu-limit': '512',
        'default-task-memory-limit': '1GB',
      }),
    ),
  ).toEqual({
    getTimeout: '1h30m',
    putTimeout: '10s',
    taskTimeout: '24h',
    taskCacheTtl: '168h',
    taskLimits: { cpu: 512, memory: 2 ** 30 },
  });
});

test('[WEB12] the intervals and the timeout of checks', () => {
  const settings = parseStepDefaults(
    read({
      'resource-checking-interval': '5m',
      'resource-with-webhook-checking-interval': '24h',
      'resource-type-checking-interval': '10m',
      'global-resource-check-timeout': '2h',
    }),
  );
  const checkIntervals = { resource: '5m', resourceWithWebhook: '24h', resourceType: '10m' };
  expect(settings).toEqual({ checkIntervals, checkTimeout: '2h' });
});

test.each([
  [
    'default-get-timeout',
    'soon',
    '"soon" is not a duration, such as 1h30m (--default-get-timeout, SEAPLANE_DEFAULT_GET_TIMEOUT)',
  ],
  [
    'default-task-timeout',
    '0s',
    '"0s" is not a duration, such as 1h30m (--default-task-timeout, SEAPLANE_DEFAULT_TASK_TIMEOUT)',
  ],
  [
    'default-task-cpu-limit',
    'half',
    '"half" is not a limit of cpu (--default-task-cpu-limit, SEAPLANE_DEFAULT_TASK_CPU_LIMIT)',
  ],
  [
    'default-task-memory-limit',
    '1X',
    '"1X" is not a limit of memory (--default-task-memory-limit, SEAPLANE_DEFAULT_TASK_MEMORY_LIMIT)',
  ],
])('[WEB12] --%s %s is a mistake', (flag, text, message) => {
  expect(() => parseStepDefaults(read({ [flag]: text }))).toThrow(message);
});

async function fileWith(text: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'type-defaults-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  await writeFile(join(directory, 'defaults.yml'), text);
  return join(directory, 'defaults.yml');
}

test('[WEB11] the defaults of base types come from a file', async () => {
  const stepDefaults = { getTimeout: '1m' };
  expect(await loadStepDefaults({ stepDefaults })).toEqual(stepDefaults);
  const typeDefaultsFile = await fileWith('registry-image: {registry_mirror: {host: mirror.example}}');
  expect(await loadStepDefaults({ stepDefaults, typeDefaultsFile })).toEqual({
    ...stepDefaults,
    baseTypeDefaults: { 'registry-image': { registry_mirror: { host: 'mirror.example' } } },
  });
});

test.each([
  ['[]', 'it must be a map of sources, by the name of their type'],
  ['git: x', 'the source of git must be a map'],
  ['git: [', 'line'],
])('[WEB11] the file %j keeps web from starting', async (text, message) => {
  const typeDefaultsFile = await fileWith(text);
  await expect(loadStepDefaults({ stepDefaults: {}, typeDefaultsFile })).rejects.toThrow(message);
  await expect(loadStepDefaults({ stepDefaults: {}, typeDefaultsFile })).rejects.toThrow(typeDefaultsFile);
  await expect(loadStepDefaults({ stepDefaults: {}, typeDefaultsFile: '/nowhere' })).rejects.toThrow('/nowhere');
});
