import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, readFileSync, symlinkSync } from 'node:fs';
import { supervisorProgram } from '@seaplane/baggageclaim/testing';
import { imageRootfs } from '@seaplane/dev-images';
import { stderrProgress } from '@seaplane/dev-toolchain/progress.ts';
import { test as anyTest, beforeAll, expect } from 'vitest';
import { inputOptions, MANY_IDS, makeInput, makePlace, startIn, whyNoBusybox } from '../testing/sandboxed.ts';

const test = anyTest.skipIf(whyNoBusybox());
const program = supervisorProgram();
const sh = (script: string) => ({ path: 'sh', args: ['-c', script] });

let busybox = '';
beforeAll(async () => {
  if (!whyNoBusybox()) busybox = await imageRootfs('busybox', stderrProgress('test'));
});

test.each([
  ['', MANY_IDS],
  [' with --privileged', ['--privileged']],
])('[SUP42] an input is shown in a sandbox%s, and stays as it is', async (_, extra) => {
  using place = makePlace();
  makeInput(place);
  chownSync(place.at('lower/file'), 1000, 1000);
  chmodSync(place.at('lower'), 0o750);
  chownSync(place.at('lower'), 1000, 1000);
  await using supervised = await startIn(place, program, busybox, extra);
  const ids = extra.filter((option) => option !== '--privileged');
  const before = readFileSync('/proc/self/mountinfo', 'utf8');
  const shown = spawnSync(program, [...inputOptions(place), ...ids], { encoding: 'utf8' });
  expect(shown).toMatchObject({ status: 0, stderr: '' });
  const look =
    'cd /tmp/build/in; cat file; stat -c "%u %g %a" . file; echo more >> file; rm -r old; mkdir old; ls -a old';
  expect((await supervised.result(sh(look))).stdout).toBe('text\n1000 1000 750\n1000 1000 644\n.\n..\n');
  expect((await supervised.result({ id: 'again', ...sh('cat /tmp/build/in/file') })).stdout).toBe('text\nmore\n');
  expect(readFileSync(place.at('lower/file'), 'utf8')).toBe('text\n');
  expect(existsSync(place.at('lower/old/file'))).toBe(true);
  expect(existsSync(place.at('build/in/file'))).toBe(false);
  expect(readFileSync('/proc/self/mountinfo', 'utf8')).toBe(before);
});

test('[SUP42] no link leads an input to another place, and a sandbox that has gone gets none', async () => {
  using place = makePlace();
  makeInput(place);
  {
    await using supervised = await startIn(place, program, busybox, MANY_IDS);
    symlinkSync('/etc', place.at('build/link'));
    for (const [index, at] of ['/tmp/build/link', '/tmp/build/link/sub', '/tmp/build/none'].entries()) {
      const options = inputOptions(place, at, `try-${index}`);
      const { status, stderr } = spawnSync(program, [...options, ...MANY_IDS], { encoding: 'utf8' });
      expect(status).toBe(125);
      expect(stderr).toMatch(new RegExp(`^supervisor: cannot use ${at} of the sandbox: .*\n$`));
    }
    expect((await supervised.result(sh('ls /etc/file; ls /tmp/build'))).stdout).not.toContain('file');
  }
  const { status, stderr } = spawnSync(program, [...inputOptions(place), ...MANY_IDS], { encoding: 'utf8' });
  expect(status).toBe(125);
  expect(stderr).toContain('cannot find the sandbox of the keeper');
});

test('[SUP42] an input whose directory has gone is refused with words', async () => {
  using place = makePlace();
  makeInput(place);
  await using _ = await startIn(place, program, busybox, MANY_IDS);
  const options = inputOptions(place).map((option) => (option === place.at('lower') ? place.at('gone') : option));
  const { status, stderr } = spawnSync(program, [...options, ...MANY_IDS], { encoding: 'utf8' });
  expect(status).toBe(125);
  expect(stderr).toContain(`cannot use ${place.at('gone')}: No such file or directory`);
});
