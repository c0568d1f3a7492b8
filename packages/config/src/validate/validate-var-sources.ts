import { ConfigError } from '../error.ts';
import type { PipelineConfig } from '../pipeline/pipeline.ts';
import { orderVarSources } from '../vars/order-var-sources.ts';
import { checkVarSourceConfig, isVarSourceType } from '../vars/var-source-config.ts';
import { checkItemName, itemName, noMistakes, type SectionMistakes } from './section.ts';

/** Concourse has these for a whole installation, but not as a var source. */
const GLOBAL_ONLY = ['conjur', 'credhub', 'kubernetes'];

export function validateVarSources(config: PipelineConfig): SectionMistakes {
  const mistakes = noMistakes();
  const seen = new Map<string, string>();
  for (const [index, source] of config.var_sources.entries()) {
    const { name, type } = source;
    checkItemName(mistakes, name, itemName('var_sources', index, name));
    if (!isVarSourceType(type)) {
      mistakes.errors.push(
        GLOBAL_ONLY.includes(type)
          ? `credential manager type ${type} is not supported in pipeline yet`
          : `unknown credential manager type: ${type}`,
      );
      continue;
    }
    const here = `var_sources[${index}]`;
    const other = seen.get(name);
    if (other !== undefined) mistakes.errors.push(`${other} and ${here} have the same name ('${name}')`);
    seen.set(name, here);
    const problem = checkVarSourceConfig(type, source);
    if (problem !== undefined) mistakes.errors.push(problem);
  }
  try {
    orderVarSources(config.var_sources);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    mistakes.errors.push(`failed to order by dependency: ${error.message}`);
  }
  return mistakes;
}
