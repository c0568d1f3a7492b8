import { assertNever, type Plan } from '@seaplane/config';
import fc from 'fast-check';
import type { Script } from './memory-world.ts';
import { checkPlan, customImage, getPlan, putPlan, taskPlan } from './plans.ts';

/** A plan, and what its processes do. */
export interface RandomBuild {
  readonly plan: Plan;
  readonly scripts: Record<string, Script>;
}

type Leaf = {
  readonly leaf: (typeof LEAVES)[number];
  readonly does: 'succeeds' | 'fails' | 'errors';
  readonly text: string;
};
type Tree =
  | Leaf
  | { readonly kind: 'do' | 'in_parallel' | 'retry'; readonly steps: readonly Tree[]; readonly limit: number }
  | { readonly kind: 'try' | 'timeout' | 'across'; readonly step: Tree }
  | { readonly kind: (typeof HOOKS)[number]; readonly step: Tree; readonly hook: Tree };

const LEAVES = [
  'task',
  'task with image',
  'task from file',
  'get',
  'custom get',
  'put',
  'check',
  'load_var',
  'set_pipeline',
  'run',
] as const;
const HOOKS = ['on_success', 'on_failure', 'on_abort', 'on_error', 'ensure'] as const;

export interface RandomPlanOptions {
  /** Whether steps run side by side. Their events may then come in any order. */
  readonly parallel: boolean;
}

/** Builds of any shape. Every walk of one does the same things, though maybe in another order. */
export function randomBuild({ parallel }: RandomPlanOptions): fc.Arbitrary<RandomBuild> {
  const { tree } = fc.letrec<{ tree: Tree; leaf: Leaf }>((tie) => ({
    leaf: fc.record({
      leaf: fc.constantFrom(...LEAVES),
      does: fc.constantFrom('succeeds', 'succeeds', 'succeeds', 'fails', 'errors'),
      text: fc.constantFrom('', 'one line\n', 'two\nlines and more', '\u20ac and hunter2\n'),
    }),
    tree: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      tie('leaf'),
      fc.record({
        kind: fc.constantFrom('do', parallel ? 'in_parallel' : 'do', 'retry'),
        steps: fc.array(tie('tree'), { minLength: 1, maxLength: 3 }),
        limit: fc.nat(2),
      }),
      fc.record({ kind: fc.constantFrom('try', 'timeout', 'across'), step: tie('tree') }),
      fc.record({ kind: fc.constantFrom(...HOOKS), step: tie('tree'), hook: tie('tree') }),
    ),
  }));
  return (tree as fc.Arbitrary<Tree>).map((tree) => toBuild(tree, parallel));
}

function toBuild(tree: Tree, parallel: boolean): RandomBuild {
  const scripts: Record<string, Script> = {
    repo: {
      files: {
        'value.json': '{"a": "hunter2"}',
        'pipeline.yml': 'jobs: []',
        'task.yml': '{platform: linux, rootfs_uri: x, run: {path: ((secret))}}',
      },
    },
    image: { versions: [{ digest: 'd' }] },
    custom: { versions: [{ digest: 'd' }] },
  };
  let count = 1;
  const toPlan = (node: Tree): Plan => {
    const id = String(count++);
    if ('leaf' in node) return leafPlan(id, node, scripts);
    switch (node.kind) {
      case 'do':
      case 'retry':
        return { id, [node.kind]: node.steps.map(toPlan) } as unknown as Plan;
      case 'in_parallel':
        return { id, in_parallel: { steps: node.steps.map(toPlan), limit: node.limit } };
      case 'try':
        return { id, try: { step: toPlan(node.step) } };
      case 'timeout':
        return { id, timeout: { step: toPlan(node.step), duration: '1h' } };
      case 'across':
        return {
          id,
          across: { vars: [{ name: 'x', values: ['a', 'b'] }], substep_template: JSON.stringify(toPlan(node.step)) },
        };
      case 'on_success':
      case 'on_failure':
      case 'on_abort':
      case 'on_error':
      case 'ensure':
        return { id, [node.kind]: { step: toPlan(node.step), [node.kind]: toPlan(node.hook) } } as unknown as Plan;
      default:
        return assertNever(node);
    }
  };
  // Output hides the secrets that some step has used by then. Side by side, that must not depend on which step was first.
  const params = parallel ? { used: '((secret))' } : {};
  return { plan: { id: '0', do: [getPlan('repo', { name: 'repo', params }), toPlan(tree)] }, scripts };
}

function leafPlan(id: string, { leaf, does, text }: Leaf, scripts: Record<string, Script>): Plan {
  const name = `step-${id}`;
  scripts[name] = {
    stdout: text,
    stderr: text,
    versions: [{ ref: id }],
    ...(does === 'errors' ? { error: `cannot start ${id}` } : { exit: does === 'fails' ? 1 : 0 }),
  };
  const run = { path: 'run', args: ['((secret))'] };
  const outputs = [{ name: `made-${id}` }];
  switch (leaf) {
    case 'task':
      return taskPlan(id, { name, config: { platform: 'linux', rootfs_uri: 'x', run, outputs }, timeout: '1h' });
    case 'task with image': {
      // Each has a source of its own: of two checks of one image side by side, the later one may be skipped.
      const image_resource = { type: 'registry-image', source: { of: id } };
      return taskPlan(id, { name, config: { platform: 'linux', image_resource, run, outputs } });
    }
    case 'task from file':
      return taskPlan(id, { name, config_path: 'repo/task.yml', params: { WARNED: 'of' } });
    case 'get':
      return getPlan(id, { name, resource: name });
    case 'custom get':
      return getPlan(id, { name, type: 'custom', image: customImage(id) });
    case 'put':
      return putPlan(id, { name, resource: name, inputs: 'all' });
    case 'check':
      return checkPlan(id, { name, resource: name });
    case 'load_var':
      return { id, load_var: { name, file: does === 'succeeds' ? 'repo/value.json' : 'repo/none' } };
    case 'set_pipeline':
      return { id, set_pipeline: { name, file: does === 'succeeds' ? 'repo/pipeline.yml' : 'repo/none' } };
    case 'run':
      return { id, run: { message: name, type: 'prototype', privileged: false } };
    default:
      return assertNever(leaf);
  }
}
