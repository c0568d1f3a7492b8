import type { ConfigWarning, PipelineConfig, ResourceType } from '../pipeline/pipeline.ts';
import type { UnknownFields } from '../step/core-steps.ts';
import { resourceOf } from '../step/step.ts';
import { jobStep, resourceSteps } from '../step/walk-steps.ts';
import { checkItemName, checkUnique, itemName, noMistakes, type SectionMistakes, sectionError } from './section.ts';
import { validateDisplay } from './validate-display.ts';
import { validateGroups } from './validate-groups.ts';
import { findCycle, validateJobs } from './validate-jobs.ts';
import { validateVarSources } from './validate-var-sources.ts';

export interface Verdict {
  /** One message for each section with mistakes. Empty: the pipeline may be saved. */
  readonly errors: readonly string[];
  readonly warnings: readonly ConfigWarning[];
}

/** Checks a pipeline that has the right shape. The messages and their order are Concourse's. */
export function validatePipeline(config: PipelineConfig, unknownFields: UnknownFields): Verdict {
  const seenTypes = new Map<string, string>();
  const sections: readonly (readonly [string, SectionMistakes])[] = [
    ['groups', validateGroups(config)],
    ['resources', validateResources(config)],
    ['resource types', validateTypes(config.resource_types, 'resource_types', seenTypes)],
    ['prototypes', validateTypes(config.prototypes, 'prototypes', seenTypes)],
    ['variable sources', validateVarSources(config)],
    ['jobs', validateJobs(config, unknownFields)],
    ['display config', validateDisplay(config.display)],
    ['jobs', { errors: findCycle(config), warnings: [] }],
  ];
  return {
    errors: sections.flatMap(([heading, { errors }]) => sectionError(heading, errors)),
    warnings: sections.flatMap(([, { warnings }]) => warnings),
  };
}

function validateResources(config: PipelineConfig): SectionMistakes {
  const mistakes = noMistakes();
  const seen = new Map<string, string>();
  for (const [index, { name, type }] of config.resources.entries()) {
    checkNamedType(mistakes, seen, 'resources', index, name, type);
  }
  const used = new Set(config.jobs.flatMap((job) => [...resourceSteps(jobStep(job)).map(resourceOf)]));
  for (const { name } of config.resources) {
    if (!used.has(name)) mistakes.errors.push(`resource '${name}' is not used`);
  }
  return mistakes;
}

/** Names are unique among resource types and prototypes together. */
function validateTypes(types: readonly ResourceType[], section: string, seen: Map<string, string>): SectionMistakes {
  const mistakes = noMistakes();
  for (const [index, { name, type }] of types.entries()) {
    checkNamedType(mistakes, seen, section, index, name, type);
  }
  return mistakes;
}

function checkNamedType(
  mistakes: SectionMistakes,
  seen: Map<string, string>,
  section: string,
  index: number,
  name: string,
  type: string,
): void {
  const item = itemName(section, index, name);
  checkItemName(mistakes, name, item);
  checkUnique(mistakes, seen, section, index, name);
  if (name === '') mistakes.errors.push(`${item} has no name`);
  if (type === '') mistakes.errors.push(`${item} has no type`);
}
