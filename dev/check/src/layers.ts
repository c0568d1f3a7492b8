/**
 * Which workspace package may import which others. Dependencies point one way: down this list. The pure ones know
 * nothing below them but each other; only web, the composition root, knows everything.
 */
export const ALLOWED_IMPORTS: Readonly<Record<string, readonly string[]>> = {
  'packages/config': [],
  'packages/engine': ['packages/config'],
  'packages/db': ['packages/config', 'packages/engine'],
  'packages/scheduler': ['packages/config', 'packages/engine', 'packages/db'],
  'packages/oci': [],
  'packages/baggageclaim': ['packages/oci'],
  'packages/supervisor': ['packages/baggageclaim'],
  'packages/orchestrator': ['packages/config', 'packages/engine', 'packages/baggageclaim'],
  'packages/kubernetes': ['packages/orchestrator', 'packages/baggageclaim'],
  'packages/api': ['packages/config', 'packages/engine', 'packages/db'],
  'packages/web': [
    'packages/api',
    'packages/baggageclaim',
    'packages/config',
    'packages/db',
    'packages/engine',
    'packages/kubernetes',
    'packages/orchestrator',
    'packages/scheduler',
  ],
  'dev/toolchain': [],
  'dev/check': [],
  'dev/images': ['dev/toolchain', 'packages/oci'],
  'dev/cluster': ['dev/toolchain', 'dev/images'],
  'dev/conformance': ['dev/toolchain', 'dev/images', 'dev/cluster'],
  'dev/bench': [
    'dev/toolchain',
    'dev/images',
    'dev/cluster',
    'packages/baggageclaim',
    'packages/kubernetes',
    'packages/web',
  ],
};

/** What the tests of any package may import as well: a real cluster to run on, and images to run there. */
export const ALLOWED_IN_TESTS: readonly string[] = ['dev/toolchain', 'dev/images', 'dev/cluster'];
