import { readFile } from 'node:fs/promises';
import { type BaseTypeDefaults, type JsonObject, parseDuration, parseMemory, parseYaml } from '@seaplane/config';
import type { StepDefaults } from '@seaplane/engine';
import type { WebConfig } from './config.ts';
import { Mistake, whereSet } from './mistake.ts';
import { WebError } from './web-error.ts';

const DURATIONS = {
  getTimeout: 'default-get-timeout',
  putTimeout: 'default-put-timeout',
  taskTimeout: 'default-task-timeout',
  taskCacheTtl: 'default-task-cache-ttl',
  checkTimeout: 'global-resource-check-timeout',
} as const;
const INTERVALS = {
  resource: 'resource-checking-interval',
  resourceWithWebhook: 'resource-with-webhook-checking-interval',
  resourceType: 'resource-type-checking-interval',
} as const;
const LIMITS = { cpu: 'default-task-cpu-limit', memory: 'default-task-memory-limit' } as const;
type Flag =
  | (typeof DURATIONS)[keyof typeof DURATIONS]
  | (typeof INTERVALS)[keyof typeof INTERVALS]
  | (typeof LIMITS)[keyof typeof LIMITS];

/** Reads the operator's settings for steps that say nothing themselves. Pure. */
export function parseStepDefaults(read: (flag: Flag) => string | undefined): StepDefaults {
  const durationsOf = (flags: Readonly<Record<string, Flag>>) =>
    Object.entries(flags).flatMap(([name, flag]) => {
      const text = read(flag);
      if (text === undefined) return [];
      if (!isDuration(text)) throw new Mistake(`"${text}" is not a duration, such as 1h30m ${whereSet(flag)}`);
      return [[name, text]];
    });
  const intervals = durationsOf(INTERVALS);
  const limits = Object.entries(LIMITS).flatMap(([name, flag]) => {
    const text = read(flag);
    if (text === undefined) return [];
    const value = name === 'cpu' ? parseCpu(text) : parseMemory(text);
    if (value === undefined) throw new Mistake(`"${text}" is not a limit of ${name} ${whereSet(flag)}`);
    return [[name, value]];
  });
  return {
    ...Object.fromEntries(durationsOf(DURATIONS)),
    ...(intervals.length > 0 ? { checkIntervals: Object.fromEntries(intervals) } : {}),
    ...(limits.length > 0 ? { taskLimits: Object.fromEntries(limits) } : {}),
  };
}

function isDuration(text: string): boolean {
  try {
    return parseDuration(text) > 0;
  } catch {
    return false;
  }
}

function parseCpu(text: string): number | undefined {
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/** The settings for steps, with the defaults of base types from their file. An error names the file. */
export async function loadStepDefaults(
  config: Pick<WebConfig, 'stepDefaults' | 'typeDefaultsFile'>,
): Promise<StepDefaults> {
  const { stepDefaults, typeDefaultsFile: path } = config;
  if (path === undefined) return stepDefaults;
  try {
    return { ...stepDefaults, baseTypeDefaults: checkTypeDefaults(parseYaml(await readFile(path, 'utf8'))) };
  } catch (cause) {
    const message = `The file ${path} with the defaults of base resource types: ${(cause as Error).message}.`;
    throw new WebError('bad-type-defaults', message, { cause });
  }
}

function checkTypeDefaults(tree: unknown): BaseTypeDefaults {
  if (!isMap(tree)) throw new Error('it must be a map of sources, by the name of their type');
  for (const [type, source] of Object.entries(tree)) {
    if (!isMap(source)) throw new Error(`the source of ${type} must be a map`);
  }
  return tree as BaseTypeDefaults;
}

function isMap(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
