import { assertNever } from '../assert-never.ts';
import type { ConfigWarning } from '../pipeline/pipeline.ts';
import type { UnknownFields } from '../step/core-steps.ts';
import {
  type AcrossStep,
  type GetStep,
  type LoadVarStep,
  resourceOf,
  type StepConfig,
  type TaskStep,
} from '../step/step.ts';
import { taskMistakes } from '../task/read-task-config.ts';
import { isDuration } from '../text/duration.ts';
import { goQuotedList } from '../text/go-text.ts';
import { checkIdentifier } from './identifier.ts';
import type { PipelineIndex } from './pipeline-index.ts';

export interface StepMistakes {
  readonly errors: string[];
  readonly warnings: ConfigWarning[];
}

/** The state of checking one job: its mistakes, and the names of gets so far. */
interface Walk extends StepMistakes {
  readonly known: PipelineIndex;
  readonly unknownFields: UnknownFields;
  readonly gets: Set<string>;
}

/** A step's location in the job, and the local variables in scope there, innermost scope last. */
interface Location {
  readonly context: readonly string[];
  readonly scopes: readonly Set<string>[];
}

/** Checks a job's whole plan, hooks included. `context` begins every message: `['jobs.build', '.plan']`. */
export function validateSteps(
  known: PipelineIndex,
  unknownFields: UnknownFields,
  step: StepConfig,
  context: readonly string[],
): StepMistakes {
  const walk: Walk = { known, unknownFields, gets: new Set(), errors: [], warnings: [] };
  visitStep(walk, step, { context, scopes: [new Set()] });
  return walk;
}

/** Checks a step that is a map of its own, which may have unknown fields. */
function visitStep(walk: Walk, step: StepConfig, location: Location): void {
  const unknown = walk.unknownFields.get(step);
  if (unknown !== undefined) complain(walk, location, `unknown fields ${goQuotedList(unknown)}`);
  visit(walk, step, location);
}

function visit(walk: Walk, step: StepConfig, location: Location): void {
  switch (step.kind) {
    case 'get':
      visitGet(walk, step, within(location, `.get(${step.name})`));
      return;
    case 'put': {
      const inside = within(location, `.put(${step.name})`);
      checkName(walk, step.name, inside);
      checkResource(walk, resourceOf(step), inside);
      return;
    }
    case 'task':
      visitTask(walk, step, within(location, `.task(${step.name})`));
      return;
    case 'run': {
      const inside = within(location, `.run(${step.type}.${step.message})`);
      checkMessage(walk, step.message, inside);
      if (!walk.known.prototypes.has(step.type)) {
        complain(walk, inside, `unknown prototype '${step.type}'`);
      }
      return;
    }
    case 'set_pipeline': {
      const inside = within(location, `.set_pipeline(${step.name})`);
      checkName(walk, step.name, inside);
      if (step.file === undefined) complain(walk, inside, 'no file specified');
      return;
    }
    case 'load_var':
      visitLoadVar(walk, step, within(location, `.load_var(${step.name})`));
      return;
    case 'try':
      visitStep(walk, step.step, within(location, '.try'));
      return;
    case 'do':
      for (const [index, inner] of step.steps.entries()) visitStep(walk, inner, within(location, '.do', `[${index}]`));
      return;
    case 'in_parallel':
      for (const [index, inner] of step.steps.entries()) {
        visitStep(walk, inner, within(location, '.in_parallel', `.steps[${index}]`));
      }
      return;
    case 'across':
      visitAcross(walk, step, within(location, '.across'));
      return;
    case 'timeout':
      visit(walk, step.step, location);
      if (!isDuration(step.duration)) {
        complain(walk, within(location, '.timeout'), `invalid duration '${step.duration}'`);
      }
      return;
    case 'attempts':
      visit(walk, step.step, location);
      if (step.attempts <= 0) complain(walk, within(location, '.attempts'), 'must be greater than 0');
      return;
    case 'on_success':
    case 'on_failure':
    case 'on_abort':
    case 'on_error':
    case 'ensure':
      visit(walk, step.step, location);
      visitStep(walk, step.hook, within(location, `.${step.kind}`));
      return;
    default:
      assertNever(step);
  }
}

function visitGet(walk: Walk, step: GetStep, location: Location): void {
  checkName(walk, step.name, location);
  if (walk.gets.has(step.name)) complain(walk, location, 'repeated name');
  walk.gets.add(step.name);
  const resource = resourceOf(step);
  checkResource(walk, resource, location);
  const passed = within(location, '.passed');
  for (const entry of step.passed ?? []) {
    const jobs = walk.known.names.matching([entry]);
    if (jobs.length === 0) complain(walk, passed, `no matching job(s) for '${entry}'`);
    for (const job of jobs) {
      for (const used of walk.known.used.get(job) ?? []) {
        if (used.has(resource)) continue;
        complain(walk, passed, `job '${job}' does not interact with resource '${resource}'`);
      }
    }
  }
}

function visitTask(walk: Walk, step: TaskStep, location: Location): void {
  checkName(walk, step.name, location);
  const { config, file } = step;
  if (config === undefined && file === undefined) complain(walk, location, 'must specify either `file:` or `config:`');
  if (config !== undefined && file !== undefined) {
    complain(walk, location, 'must specify one of `file:` or `config:`, not both');
  }
  if ((config?.rootfs_uri ?? config?.image_resource) !== undefined && step.image !== undefined) {
    warn(
      walk,
      location,
      'specifies image: on the step but also specifies an image under config: - the image: on the step takes precedence',
    );
  }
  if (step.hermetic) warn(walk, location, 'specifies `hermetic:` only works against worker containerd runtime');
  if (config === undefined) return;
  const inside = within(location, '.config');
  const unknown = walk.unknownFields.get(config);
  if (unknown !== undefined) complain(walk, inside, `unknown fields ${goQuotedList(unknown)}`);
  for (const mistake of taskMistakes(config)) complain(walk, inside, mistake);
}

function visitLoadVar(walk: Walk, step: LoadVarStep, location: Location): void {
  checkName(walk, step.name, location);
  declare(walk, step.name, location);
  if (step.file === undefined) complain(walk, location, 'no file specified');
}

function visitAcross(walk: Walk, step: AcrossStep, location: Location): void {
  const inside: Location = { context: location.context, scopes: [...location.scopes, new Set()] };
  if (step.vars.length === 0) complain(walk, inside, 'no vars specified');
  for (const [index, { var: name, max_in_flight: limit }] of step.vars.entries()) {
    const at = within(inside, `[${index}]`);
    declare(walk, name, at);
    if (typeof limit === 'number' && limit <= 0) {
      complain(walk, within(at, '.max_in_flight'), 'must be greater than 0');
    }
  }
  visit(walk, step.step, inside);
}

/** A local variable is declared once in its scope. Hiding a variable of an outer scope causes a warning. */
function declare(walk: Walk, name: string, location: Location): void {
  const current = location.scopes.at(-1) as Set<string>;
  if (current.has(name)) complain(walk, location, 'repeated var name');
  else if (location.scopes.some((scope) => scope.has(name))) {
    walk.warnings.push({ type: 'var_shadowed', message: annotate(location, `shadows local var '${name}'`) });
  }
  current.add(name);
}

function checkName(walk: Walk, name: string, location: Location): void {
  const problem = checkIdentifier(name, location.context);
  // Concourse repeats the location before this message. The text is kept, because users know it.
  if (problem?.kind === 'error') complain(walk, location, problem.message);
  if (problem?.kind === 'warning') walk.warnings.push(problem.warning);
}

/** The message of a run must be a valid name. No old pipelines have invalid ones, so this is an error. */
function checkMessage(walk: Walk, name: string, location: Location): void {
  const problem = checkIdentifier(name, location.context);
  if (problem !== undefined) {
    complain(walk, location, problem.kind === 'error' ? problem.message : problem.warning.message);
  }
}

function checkResource(walk: Walk, name: string, location: Location): void {
  if (walk.known.resources.has(name)) return;
  complain(walk, location, `unknown resource '${name}'`);
}

function complain(walk: Walk, location: Location, message: string): void {
  walk.errors.push(annotate(location, message));
}

function warn(walk: Walk, location: Location, message: string): void {
  walk.warnings.push({ type: 'pipeline', message: annotate(location, message) });
}

function annotate(location: Location, message: string): string {
  return `${location.context.join('')}: ${message}`;
}

function within(location: Location, ...context: string[]): Location {
  return { context: [...location.context, ...context], scopes: location.scopes };
}
