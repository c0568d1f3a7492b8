import type { FolderRule } from './folder-rules.ts';

/**
 * Which workspace package may import which others. Imports point one way: each package imports only packages that stand
 * above it in this list. The pure packages come first and import only each other; web, the composition root, comes last
 * and imports every other package of the product.
 */
export const ALLOWED_IMPORTS: Readonly<Record<string, readonly string[]>> = {
  'packages/config': [],
  'packages/engine': ['packages/config'],
  'packages/credentials': ['packages/config', 'packages/engine'],
  'packages/oci': [],
  'packages/builtin': ['packages/oci'],
  'packages/baggageclaim': ['packages/oci', 'packages/builtin'],
  'packages/supervisor': ['packages/baggageclaim'],
  'packages/orchestrator': ['packages/config', 'packages/engine', 'packages/baggageclaim'],
  'packages/kubernetes': ['packages/config', 'packages/orchestrator', 'packages/baggageclaim'],
  'packages/local': [
    'packages/config',
    'packages/oci',
    'packages/builtin',
    'packages/orchestrator',
    'packages/baggageclaim',
  ],
  'packages/db': ['packages/config', 'packages/engine', 'packages/orchestrator'],
  'packages/scheduler': ['packages/config', 'packages/engine', 'packages/db'],
  'packages/api': ['packages/config', 'packages/engine', 'packages/baggageclaim', 'packages/db'],
  'packages/browser': ['packages/config', 'packages/engine', 'packages/api'],
  'packages/web': [
    'packages/api',
    'packages/baggageclaim',
    'packages/browser',
    'packages/config',
    'packages/credentials',
    'packages/db',
    'packages/engine',
    'packages/kubernetes',
    'packages/local',
    'packages/orchestrator',
    'packages/scheduler',
  ],
  'packages/cli': [
    'packages/config',
    'packages/db',
    'packages/engine',
    'packages/local',
    'packages/orchestrator',
    'packages/web',
  ],
  'dev/toolchain': [],
  'dev/check': [],
  'dev/images': ['dev/toolchain', 'packages/config', 'packages/oci'],
  'dev/cluster': ['dev/toolchain', 'dev/images', 'packages/config'],
  'dev/conformance': ['dev/toolchain', 'dev/images', 'dev/cluster'],
  'dev/browser': ['dev/toolchain', 'packages/browser', 'packages/db', 'packages/web'],
  'dev/bench': [
    'dev/toolchain',
    'dev/browser',
    'dev/images',
    'dev/cluster',
    'packages/baggageclaim',
    'packages/config',
    'packages/db',
    'packages/engine',
    'packages/kubernetes',
    'packages/orchestrator',
    'packages/scheduler',
    'packages/web',
  ],
  'dev/chaos': [
    'dev/toolchain',
    'dev/images',
    'dev/cluster',
    'packages/baggageclaim',
    'packages/config',
    'packages/db',
    'packages/web',
  ],
};

/**
 * Imports that the package's own table entry would allow, but the design does not: pure parts stay pure, and what others
 * read stays apart from what serves it.
 */
export const FORBIDDEN_INSIDE: readonly FolderRule[] = [
  {
    from: 'packages/config/src',
    to: ['node:'],
    because: 'the browser and other tools use it too: it reads texts, not files',
  },
  {
    from: 'packages/engine/src',
    to: ['node:fs', 'node:fs/promises', 'node:http', 'node:https', 'node:net', 'node:child_process'],
    because: 'the engine acts on the outside only through the seams it declares',
  },
  {
    from: 'packages/baggageclaim/src/index.ts',
    to: ['packages/baggageclaim/src/server'],
    because: 'other packages read the protocol and the client, without the server',
  },
  {
    from: 'packages/baggageclaim/src/client',
    to: ['packages/baggageclaim/src/server'],
    because: 'other packages read the client, without the server',
  },
  {
    from: 'packages/baggageclaim/src/protocol',
    to: ['packages/baggageclaim/src/client', 'packages/baggageclaim/src/server'],
    because: 'client and server meet in the protocol',
  },
  {
    from: 'packages/baggageclaim/src/server',
    to: ['packages/baggageclaim/src/client'],
    because: 'client and server meet in the protocol',
  },
  {
    from: 'packages/api/src/answers',
    to: [
      'packages/api/src/api.ts',
      'packages/api/src/auth',
      'packages/api/src/context.ts',
      'packages/api/src/hijack',
      'packages/api/src/http',
      'packages/api/src/json',
      'packages/api/src/routes',
      'packages/db',
      'node:',
      'hono',
    ],
    because: 'a browser imports the answers, without the server',
  },
  {
    from: 'packages/api/src/bodies.ts',
    to: ['packages/api/src', 'packages/db', 'node:', 'hono'],
    because: 'a browser imports the types of bodies, without the server',
  },
  {
    from: 'packages/kubernetes/src/pod',
    to: [
      'packages/kubernetes/src/api/kube-api.ts',
      'packages/kubernetes/src/api/objects.ts',
      'packages/kubernetes/src/api/reflector.ts',
      'packages/kubernetes/src/kubernetes-host.ts',
      'packages/kubernetes/src/store',
      'packages/kubernetes/src/health',
      'node:fs',
      'node:fs/promises',
      'node:https',
    ],
    because: 'building a pod and reading its status are pure',
  },
  {
    from: 'packages/web/src',
    to: ['packages/kubernetes', 'packages/local'],
    except: ['packages/web/src/boot/host-kinds.ts'],
    because: 'boot/host-kinds.ts alone names the kinds of hosts',
  },
  {
    from: 'packages/web/src/boot',
    to: ['packages/web/src/adapters', 'packages/web/src/http', 'packages/web/src/loops', 'packages/web/src/serve.ts'],
    because: 'other programs import it, without the server',
  },
];

/** The tests of any package may import these, too: a real cluster to run on, and images to run there. */
export const ALLOWED_IN_TESTS: readonly string[] = ['dev/toolchain', 'dev/images', 'dev/cluster'];
