import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { placesIn, SUPERVISOR } from '../places.ts';
import { ownEnvironment } from '../plain-environment.ts';
import { specOf } from '../testing/sandboxes.ts';
import { holdFile } from './agent-lock.ts';
import { plainArguments } from './enter-command.ts';
import { noImages, plainNotices, requirePlain, tryPlain } from './plain-sandbox.ts';
import { runsProgram } from './runs-program.ts';
import { directoriesOf, placesOf } from './sandbox-directory.ts';

test('[LOCAL46] the command of plain processes names the directories of the sandbox', () => {
  const spec = specOf('task-1');
  const places = placesOf(placesIn('/d'), spec.handle);
  const args = plainArguments(places, directoriesOf(places, spec)).join(' ').replaceAll(places.dir, 'DIR');
  expect(args).toBe(
    '--plain --build DIR/build --lock DIR/lock --pid DIR/pid --over DIR/over -- --socket DIR/control/supervisor.sock ' +
      '--records DIR/control/records --output DIR/build/.seaplane',
  );
});

test('[LOCAL47] a plain process has no image, closed network or directory elsewhere', () => {
  expect(() => requirePlain(specOf('a', { limits: { cpu: 1 }, privileged: true }))).not.toThrow();
  expect(() => requirePlain(specOf('a', { hermetic: true }))).toThrow('hermetic');
  expect(() => requirePlain(specOf('a', { mounts: ['/m'] }))).toThrow('/m');
  expect(() => requirePlain(specOf('a', { image: { reference: 'host', fromPipeline: true } }))).toThrow('image');
  expect(noImages('darwin').message).toBe(
    "this worker runs steps as plain processes, without isolation, so a step for the platform darwin can't have an image " +
      "here: remove 'image_resource' and 'image' from it",
  );
  expect(plainNotices(specOf('a'))).toEqual([]);
  expect(plainNotices(specOf('a', { limits: { memory: 5 } }))).toEqual([
    'this worker runs steps as plain processes, without isolation: the step has no memory limit',
  ]);
});

test('[LOCAL13] plain processes get where programs and files of their user are, and no other variable', () => {
  const env = { PATH: '/bin', HOME: '/Users/me', AWS_SECRET_ACCESS_KEY: 'secret', DEVELOPER_DIR: '/x', LANG: '' };
  expect(ownEnvironment(env)).toEqual({ PATH: '/bin', HOME: '/Users/me', DEVELOPER_DIR: '/x' });
});

test('[LOCAL17] a supervisor that does not run makes the worker of plain processes unusable, in words', async () => {
  await tryPlain(SUPERVISOR);
  await expect(tryPlain('/no/such/supervisor')).rejects.toThrow('the supervisor does not run on this machine: spawn');
  await expect(tryPlain('/bin/true')).rejects.toThrow('it did nothing');
});

test.each(['linux', 'darwin'] as const)(
  '[LOCAL3] a keeper is known by its program, as %s shows it',
  async (platform) => {
    const child = execFile('/bin/sleep', ['600']);
    await once(child, 'spawn');
    const pid = child.pid as number;
    expect(await runsProgram(pid, '/bin/sleep', platform)).toBe(true);
    expect(await runsProgram(pid, '/bin/slee', platform)).toBe(false);
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    expect(await runsProgram(pid, '/bin/sleep', platform)).toBe(false);
  },
);

test('[LOCAL14] where there are no abstract sockets, a file is locked for as long as its agent lives', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'lock-'));
  try {
    const path = join(directory, 'lock');
    const script = `import { holdFile } from ${JSON.stringify(join(import.meta.dirname, 'agent-lock.ts'))};
      console.log(await holdFile(${JSON.stringify(SUPERVISOR)}, ${JSON.stringify(path)})); setInterval(() => {}, 1e6);`;
    const agent = execFile(process.execPath, ['--input-type=module-typescript', '-e', script]);
    agent.stderr?.pipe(process.stderr);
    const [said] = (await once(agent.stdout as NonNullable<typeof agent.stdout>, 'data')) as [string];
    expect(said).toBe('true\n');
    expect(await holdFile(SUPERVISOR, path)).toBe(false);
    agent.kill('SIGKILL');
    await expect.poll(() => holdFile(SUPERVISOR, path), { timeout: 30_000 }).toBe(true);
  } finally {
    await rm(directory, { recursive: true });
  }
});
