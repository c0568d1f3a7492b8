import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testCluster, whyNoTestCluster } from '@seaplane/dev-cluster/testing';
import { stderrProgress } from '@seaplane/dev-toolchain/progress.ts';
import { run } from '@seaplane/dev-toolchain/run.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { kubernetesOutsideHost } from './hosts/kubernetes.ts';
import { localOneIdHost } from './hosts/local.ts';
import type { Results } from './report/results.ts';
import { whyNoSuite } from './testing/why-no-suite.ts';

const MAIN = join(import.meta.dirname, 'main.ts');
const SPEC = 'A pipeline containing a do performs the do steps';
/** The first run builds fly and the suite. */
const BUILD_TIMEOUT_MS = 900_000;
let out: string;

beforeEach(async () => {
  out = await mkdtemp(join(tmpdir(), 'conformance-out-'));
});
afterEach(() => rm(out, { recursive: true, force: true }));

async function conformance(...args: string[]) {
  return run(process.execPath, [MAIN, ...args, '--out', out], { ok: 'any' });
}

async function results(host: string): Promise<Results> {
  return JSON.parse(await readFile(join(out, 'conformance', `${host}.json`), 'utf8')) as Results;
}

test.skipIf(whyNoSuite())(
  '[CONF13] the spec in focus is reported as what it is, and no other',
  {
    timeout: BUILD_TIMEOUT_MS,
  },
  async () => {
    const { code, stdout } = await conformance('--host', 'local', '--focus', `^${SPEC}$`);
    const { total, passed, specs } = await results('local');
    expect(total).toBe(124);
    expect(specs).toHaveLength(124);
    const ran = specs.filter(({ reason }) => reason !== 'never run on this host');
    expect(ran.map(({ name, state, reason }) => ({ name, state, reason }))).toEqual([
      { name: SPEC, state: 'pass', reason: null },
    ]);
    expect(passed).toBe(1);
    expect(stdout).toContain('local: ran 1, of which 1 passed\nlocal: 1 of 124 passed\n');
    expect(code).toBe(0);
    expect(await readFile(join(out, 'conformance.md'), 'utf8')).toContain(`| ${SPEC} | pass |`);
  },
);

test.skipIf(localOneIdHost.whyNot?.() ?? whyNoSuite())(
  '[CONF28] [CONF29] a spec passes for an ordinary user, and nothing of that user is left',
  {
    timeout: BUILD_TIMEOUT_MS,
  },
  async () => {
    const before = await readFile('/etc/passwd', 'utf8');
    const { stdout } = await conformance('--host', 'local-one-id', '--focus', `^${SPEC}$`);
    expect(stdout).toContain('local-one-id: ran 1, of which 1 passed');
    const isOurs = (line: string) => line.startsWith('conformance-') && !before.includes(line);
    expect((await readFile('/etc/passwd', 'utf8')).split('\n').filter(isOurs)).toEqual([]);
    const { stdout: processes } = await run('ps', ['-e', '-o', 'user:32=']);
    expect(processes).not.toContain('conformance-');
  },
);

test.skipIf(whyNoTestCluster() ?? kubernetesOutsideHost.whyNot?.() ?? whyNoSuite())(
  '[CONF30] a spec passes with a web that reaches only the API server, and nothing of its network is left',
  {
    timeout: BUILD_TIMEOUT_MS,
  },
  async () => {
    const { kubeconfig } = await testCluster(stderrProgress('outside'));
    const devices = async (): Promise<string[]> => (await run('ip', ['-o', 'link'])).stdout.match(/spout\w+/g) ?? [];
    const before = await devices();
    const args = ['--host', 'kubernetes-outside', '--focus', `^${SPEC}$`, '--out', out];
    const env = { ...process.env, KUBECONFIG: kubeconfig };
    const { stdout } = await run(process.execPath, [MAIN, ...args], { ok: 'any', env });
    expect(stdout).toContain('kubernetes-outside: ran 1, of which 1 passed');
    // The kernel removes a namespace that nobody holds in the background.
    await expect.poll(async () => (await devices()).filter((name) => !before.includes(name))).toEqual([]);
  },
);

/** One spec for each layer: checks, images made by a step, outputs, hooks' order, a custom type, a shell, an upload. */
const QUICK = [
  'A job with a task that always fails causes the build to fail',
  'A job with a try step proceeds through the plan even if the step fails',
  'A pipeline containing a do performs the do steps',
  'Checking a resource saves the versions',
  'Flying works',
  'fly intercept default shell when the container has bash defaults to bash',
];

test.skipIf(whyNoTestCluster() ?? whyNoSuite())(
  '[CONF20] a quick part of the suite passes on a real cluster',
  {
    timeout: BUILD_TIMEOUT_MS,
  },
  async () => {
    const { kubeconfig } = await testCluster(stderrProgress('test cluster'));
    const focus = `^(${QUICK.join('|')})$`;
    const env = { ...process.env, KUBECONFIG: kubeconfig };
    await run(process.execPath, [MAIN, '--host', 'kubernetes', '--procs', '2', '--focus', focus, '--out', out], {
      ok: 'any',
      env,
    });
    const { specs } = await results('kubernetes');
    const ran = specs.filter(({ reason }) => reason !== 'never run on this host');
    expect(ran.map(({ name, state, reason }) => ({ name, state, reason }))).toEqual(
      QUICK.toSorted().map((name) => ({ name, state: 'pass', reason: null })),
    );
  },
);

test.skipIf(whyNoSuite())(
  '[CONF12] a pattern that no spec matches starts no host and writes nothing',
  {
    timeout: BUILD_TIMEOUT_MS,
  },
  async () => {
    const { code, stderr } = await conformance('--host', 'local', '--focus', 'no such spec');
    expect(code).toBe(2);
    expect(stderr).toContain("no spec's name or file matches --focus no such spec");
    expect(stderr).not.toContain('starting local');
    expect(await readdir(out)).toEqual([]);
  },
);
