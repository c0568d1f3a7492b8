import { chmod, cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildOnce } from '@seaplane/dev-toolchain/build-once.ts';
import { CONCOURSE, concourseSource } from '@seaplane/dev-toolchain/concourse.ts';
import { goBuild } from '@seaplane/dev-toolchain/go.ts';
import type { Progress } from '@seaplane/dev-toolchain/progress.ts';
import { run } from '@seaplane/dev-toolchain/run.ts';
import { parseGinkgoReport, specsOf } from '../report/ginkgo-report.ts';
import { nameSpecs, type Spec } from './spec.ts';

/** Change it when the recipe below changes: it is part of the cache's key. */
const RECIPE = '1';

/** The acceptance suite, compiled, and what it needs to run. */
export interface Suite {
  /** The suite's program. It stands in its own directory because Ginkgo runs it there, and its fixtures are beside it. */
  readonly program: string;
  readonly ginkgo: string;
  readonly description: string;
  readonly specs: readonly Spec[];
}

export const SUITE_BUILD = { name: 'go/testflight', inputs: [CONCOURSE.version, RECIPE] };

/** Compiles Concourse's acceptance suite and its runner, once, and lists the specs. */
export async function buildSuite(progress: Progress): Promise<Suite> {
  const directory = await buildOnce({
    ...SUITE_BUILD,
    progress,
    build: async (into) => {
      const source = await concourseSource();
      const suite = join(into, 'testflight');
      await copyWritable(join(source, 'testflight', 'fixtures'), join(suite, 'fixtures'));
      await goBuild({ dir: source, packages: ['./testflight'], tests: true, output: programIn(into) });
      // The module's go.mod names Ginkgo's version, so runner and suite agree.
      const ginkgo = 'github.com/onsi/ginkgo/v2/ginkgo';
      await goBuild({ dir: source, packages: [ginkgo], output: join(into, 'ginkgo') });
      await writeFile(join(into, 'suite.json'), JSON.stringify(await listSpecs(into)));
    },
  });
  const listed = JSON.parse(await readFile(join(directory, 'suite.json'), 'utf8')) as Listed;
  return { program: programIn(directory), ginkgo: join(directory, 'ginkgo'), ...listed };
}

interface Listed {
  readonly description: string;
  readonly specs: readonly Spec[];
}

/** A dry run visits every spec and runs none. */
async function listSpecs(directory: string): Promise<Listed> {
  const report = join(directory, 'dry-run.json');
  const args = ['--ginkgo.dry-run', `--ginkgo.json-report=${report}`];
  await run(programIn(directory), args, { cwd: join(directory, 'testflight') });
  const parsed = parseGinkgoReport(await readFile(report, 'utf8'));
  return { description: parsed.SuiteDescription, specs: nameSpecs(specsOf(parsed)) };
}

function programIn(directory: string): string {
  return join(directory, 'testflight', 'testflight.test');
}

/** Go's module cache is read-only, and a copy of it would be too. */
async function copyWritable(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  await cp(from, to, { recursive: true });
  await run('chmod', ['-R', 'u+w', to]);
  await chmod(to, 0o755);
}
