import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stderrProgress } from '@seaplane/dev-toolchain/progress.ts';
import { whyNoZig } from '@seaplane/dev-toolchain/zig.ts';
import { test as anyTest, expect } from 'vitest';
import { compileSupervisors, SUPERVISOR_BIN } from './supervisor-programs.ts';

/** libc is compiled for two processors the first time. */
const MINUTES = 30 * 60_000;

const why = whyNoZig();
if (why) console.warn(`\n*** SKIPPING the test that compiles the supervisor again: ${why}\n`);

anyTest.skipIf(why)(
  '[IMG10] the supervisors in the repository are, byte for byte, those that their sources give',
  async () => {
    const dir = await mkdtemp(join(tmpdir(), 'supervisors-'));
    try {
      const names = await compileSupervisors(dir, stderrProgress('test'));
      expect(names).toEqual(['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64', 'made-of']);
      for (const name of names) {
        const [committed, compiled] = await Promise.all([SUPERVISOR_BIN, dir].map((at) => readFile(join(at, name))));
        expect(compiled?.equals(committed as Buffer), name).toBe(true);
      }
    } finally {
      await rm(dir, { recursive: true });
    }
  },
  MINUTES,
);
