import { defineConfig } from 'vitest/config';

const unit = ['packages/*/src/**/*.test.ts', 'dev/*/src/**/*.test.ts'];
const database = 'packages/db/src/testing/global-setup.ts';
/** Ends a test that hangs. No test is about time, so a busy machine must not fail one. */
const patience = { testTimeout: 60_000, hookTimeout: 60_000, expect: { poll: { timeout: 30_000 } } };
const system = ['packages/*/**/*.system.test.ts', 'dev/*/**/*.system.test.ts'];

/**
 * Two projects. `unit` needs nothing but Node and its packages (embedded PostgreSQL among them) and is part of
 * `npm run check`. `system` needs a Linux machine it may build and run things on: compilers, a cluster, root.
 */
export default defineConfig({
  test: {
    maxWorkers: '100%', // the default leaves a core idle
    projects: [
      {
        test: {
          name: 'unit',
          include: unit,
          exclude: [...system, '**/node_modules/**'],
          globalSetup: [database],
          // Files share a process and its loaded modules, so no test may change what is global. It takes 2.5 times the
          // processor time without.
          isolate: false,
          unstubEnvs: true,
          ...patience,
        },
      },
      {
        test: {
          name: 'system',
          globalSetup: [
            database,
            'dev/toolchain/src/testing/global-setup.ts',
            'dev/cluster/src/testing/global-setup.ts',
          ],
          include: system,
          exclude: ['**/node_modules/**'],
          ...patience,
          testTimeout: 120_000,
          hookTimeout: 1_500_000, // the first run builds Kubernetes
          fileParallelism: false,
        },
      },
    ],
  },
});
