import type { StepSpec } from '../builds/build-spec.ts';
import type { BuildEvidence, PlanEvidence } from './evidence.ts';

/** A fault that has happened. */
export interface Hit {
  readonly kind: string;
  readonly what: string;
  /** Builds that may show an error because of the fault. */
  readonly builds: 'none' | 'all' | readonly number[];
  /** The error says one of these. */
  readonly causes: readonly RegExp[];
}

export interface Violation {
  readonly build: string;
  readonly step: string;
  readonly expected: string;
  readonly seen: string;
}

/** Finds where a build breaks the rules. Pure. */
export function judgeBuild(evidence: BuildEvidence, hits: readonly Hit[]): Violation[] {
  return [
    ...judgeStatus(evidence),
    ...judgeErrors(evidence, hits),
    ...evidence.spec.steps.flatMap((step) => judgeStep(evidence, step)),
  ];
}

function violation({ spec, id }: BuildEvidence, step: string, expected: string, seen: string): Violation {
  return { build: `${spec.name} (${spec.shape}, build ${id})`, step, expected, seen };
}

function judgeStatus(evidence: BuildEvidence): Violation[] {
  const { spec, status, errors } = evidence;
  if (status === spec.expected) return [];
  if (status === 'errored') {
    return errors.length > 0 ? [] : [violation(evidence, '-', 'an error event that says why', 'errored without one')];
  }
  return [violation(evidence, '-', `${spec.expected}, or errored by a fault`, `status ${status}`)];
}

function judgeErrors(evidence: BuildEvidence, hits: readonly Hit[]): Violation[] {
  const near = hits.filter(({ builds }) => builds === 'all' || (builds !== 'none' && builds.includes(evidence.id)));
  const explained = (message: string) => near.some(({ causes }) => causes.some((cause) => cause.test(message)));
  const faults = near.map(({ kind, what }) => `${kind} (${what})`).join(', ') || 'none';
  return evidence.errors
    .filter((message) => !explained(message))
    .map((message) => violation(evidence, '-', `only errors that its faults explain: ${faults}`, `error: ${message}`));
}

function judgeStep(evidence: BuildEvidence, step: StepSpec): Violation[] {
  const plans = evidence.plans.filter((plan) => plan.step === step.name);
  const processes = evidence.processes.filter((seen) => seen.step === step.name);
  const wrong = (expected: string, seen: string) => violation(evidence, step.name, expected, seen);
  const found: Violation[] = plans.flatMap((plan) => judgePlan(evidence, step, plan));
  if (processes.length > (step.outcome === 'unreached' ? 0 : plans.length)) {
    const most = step.outcome === 'unreached' ? 'no process' : `at most ${plans.length} process(es), one an attempt`;
    found.push(wrong(most, `${processes.length}: ${processes.map(({ process }) => process).join(', ')}`));
  }
  if (evidence.status !== evidence.spec.expected || step.outcome === 'unreached') return found;
  const finished = plans.filter(({ exitStatus }) => exitStatus !== undefined);
  const last = finished.at(-1)?.exitStatus;
  if (last === undefined || (last === 0) !== (step.outcome === 'green')) {
    found.push(wrong(`${step.outcome}, as the build is ${evidence.status}`, `exit status ${last ?? 'missing'}`));
  }
  return found;
}

const LINE = /^(\S+) ([0-9a-f-]{36}) line (\d+)\r?$/gm;

function judgePlan(evidence: BuildEvidence, step: StepSpec, plan: PlanEvidence): Violation[] {
  const wrong = (expected: string, seen: string) => violation(evidence, step.name, expected, seen);
  const lines = [...plan.log.matchAll(LINE)].map(([, name, process, number]) => ({
    name,
    process,
    number: Number(number),
  }));
  const found: Violation[] = [];
  const gap = lines.findIndex(({ number }, at) => number !== at + 1);
  if (gap >= 0) {
    const near = lines.slice(Math.max(0, gap - 2), gap + 3).map(({ number }) => number);
    found.push(wrong('every line once and in order', `around line ${gap + 1}: ${near.join(' ')}`));
  }
  const ids = new Set(lines.map(({ process }) => process));
  if (ids.size > 1) found.push(wrong('one process in the log of an attempt', [...ids].join(', ')));
  if (plan.exitStatus === undefined) return found;

  const statuses = step.failsFirst ? [step.exit, 4] : [step.exit];
  if (!statuses.includes(plan.exitStatus)) {
    found.push(wrong(`exit status ${statuses.join(' or ')}`, `exit status ${plan.exitStatus}`));
  }
  if (step.hungry && !/memory/i.test(plan.log)) found.push(wrong('the log says that memory ran out', 'nothing of it'));
  if (lines.length !== step.lines) found.push(wrong(`all ${step.lines} lines`, `${lines.length} lines, then its end`));
  for (const id of step.hungry ? [] : ids) {
    if (evidence.processes.some(({ process, ended }) => process === id && ended)) continue;
    found.push(wrong('a finished step has a process that ran to its end', `the process ${id} did not`));
  }
  return found;
}
