import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { compareTwice, reportOf } from './compare.ts';
import { corpusFiles } from './corpus.ts';
import { differences } from './differences.ts';
import { readPipelineFile } from './read-file.ts';
import { reportText } from './report.ts';
import { inSameForm, sameText } from './same-form.ts';

async function read(name: string, text: string) {
  const directory = await mkdtemp(join(tmpdir(), 'compare-'));
  try {
    await writeFile(join(directory, name), text);
    return await readPipelineFile(join(directory, name));
  } finally {
    await rm(directory, { recursive: true });
  }
}

test('[CONF23] a pipeline is taken as it is, and named after its file', async () => {
  expect(await read('Some File.yml', 'jobs: []\n')).toMatchObject({ name: 'some-file', text: 'jobs: []\n' });
});

test('[CONF23] a task file becomes a pipeline whose job runs it, byte for byte', async () => {
  const task = 'platform: linux\nrun: {path: "a\tb"}\nparams:\n  A: |\n    no end';
  const pipeline = JSON.parse((await read('task.yml', task)).text);
  expect(pipeline.resources[0].source.create_files['task.yml']).toBe(task);
  expect(pipeline.jobs[0].plan).toEqual([
    { get: 'files' },
    { get: 'image' },
    { task: 'task', file: 'files/task.yml', image: 'image' },
  ]);
  const withImage = JSON.parse((await read('t.yml', `${task}\nimage_resource: {type: mock}\n`)).text);
  expect(withImage.jobs[0].plan).toEqual([{ get: 'files' }, { task: 'task', file: 'files/task.yml' }]);
});

test('[CONF23] the corpus has pipelines and task files', async () => {
  const files = await Promise.all((await corpusFiles()).map(readPipelineFile));
  expect(files.length).toBeGreaterThan(10);
  expect(new Set(files.map(({ name }) => name)).size).toBe(files.length);
});

test('[CONF24] ids, times and addresses are masked, all else is kept', () => {
  const build = { id: 5, name: '1', start_time: 7, api_url: '/x', job: { team_id: 2, on: true } };
  expect(inSameForm(build)).toEqual({
    id: '*',
    name: '1',
    start_time: '*',
    api_url: '*',
    job: { team_id: '*', on: true },
  });
  expect(sameText('\u001b[1mat http://localhost:80/x\u001b[0m')).toBe('at URL/x');
});

test('[CONF24] a difference has its place and both values', () => {
  const found = differences({ a: [1, 2], b: 'x', c: null }, { a: [1, 3, 4], b: 'x', c: {} });
  expect(found).toEqual([
    { path: 'a.1', concourse: 2, ours: 3 },
    { path: 'a.2', concourse: undefined, ours: 4 },
    { path: 'c', concourse: null, ours: {} },
  ]);
  expect(differences({ constructor: 1 }, {})).toEqual([{ path: 'constructor', concourse: 1, ours: undefined }]);
});

test('[CONF25] the report counts files, and shows where texts part', () => {
  const long = 'x'.repeat(500);
  const text = reportText([
    reportOf('refused.yml', { set: 1 }, { set: 1 }),
    reportOf('same.yml', { config: 1, builds: 'not run: why' }, { config: 1, builds: 'not run: why' }),
    reportOf('other.yml', { config: 1, set: `${long}a` }, { config: 1, set: `${long}b` }),
  ]);
  expect(text).toContain('alike     refused.yml (refused)');
  expect(text).toContain('alike     same.yml (builds not run: why)');
  expect(text).toContain('DIFFERENT other.yml\n  set\n    concourse: ...');
  expect(text).toContain('3 files: 2 alike, 1 different');
});

test('[CONF25] a difference that is meant is reported with its reason, and another text at its place is not', () => {
  const set = (stderr: string) => ({ config: 1, set: { stderr } });
  const theirs = set("get(r).passed: unknown job 'x'");
  const meant = reportOf('a.yml', theirs, set("get(r).passed: no matching job(s) for 'x'"));
  expect(meant.differences).toEqual([]);
  expect(reportText([meant])).toContain('meant: set.stderr: 8.2.5 takes patterns');
  expect(reportOf('a.yml', theirs, set('something else')).differences).toHaveLength(1);
});

test('[CONF25] a file that differs is compared again, as another pipeline; what differs only once is not reported', async () => {
  const seen = [
    { config: 1, a: 1, b: 2 },
    { config: 1, a: 1, b: 1, c: 3 },
  ];
  const names: (string | undefined)[] = [];
  const report = await compareTwice(
    async ({ name }) => {
      names.push(name);
      return reportOf('p.yml', { config: 1, a: 0, b: 1 }, seen[names.length - 1] ?? {});
    },
    { name: 'p' },
  );
  expect(names).toEqual([undefined, 'p-again']);
  expect(report.differences).toEqual([{ path: 'a', concourse: 0, ours: 1 }]);
  await compareTwice(async () => reportOf('p.yml', { config: 1 }, { config: 1 }), { name: 'p' });
});
