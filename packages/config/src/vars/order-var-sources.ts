import { ConfigError } from '../error.ts';
import type { VarSourceConfig } from '../pipeline/pipeline.ts';
import { variableNames } from './interpolate.ts';

/** Orders sources so that each comes after those that its configuration uses. Throws a ConfigError on a circle. */
export function orderVarSources(sources: readonly VarSourceConfig[]): VarSourceConfig[] {
  const ordered: VarSourceConfig[] = [];
  let pending = sources.map((source) => ({ source, needs: sourcesNamed(source) }));
  while (pending.length > 0) {
    const ready = pending.filter(({ needs }) => needs.every((need) => ordered.some(({ name }) => name === need)));
    if (ready.length === 0) {
      const names = pending.map(({ source }) => source.name).join(', ');
      throw new ConfigError('missing-source', `could not resolve inter-dependent var sources: ${names}`);
    }
    ordered.push(...ready.map(({ source }) => source));
    pending = pending.filter((one) => !ready.includes(one));
  }
  return ordered;
}

function sourcesNamed({ config = null }: VarSourceConfig): string[] {
  return variableNames(config).flatMap((name) => (name.includes(':') ? [name.slice(0, name.indexOf(':'))] : []));
}
