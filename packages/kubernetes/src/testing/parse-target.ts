import { ConfigReader, text } from '@seaplane/orchestrator';
import { parseTargetConfig, type Target } from '../target.ts';

/** The Kubernetes part of a worker's entry, with the worker's name. */
export function parseTarget(value: unknown): Target {
  const entry = new ConfigReader('target', value);
  const target = { name: entry.required('name', text), installation: 'test', ...parseTargetConfig(entry) };
  entry.end();
  return target;
}
