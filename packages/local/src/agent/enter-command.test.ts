import { expect, test } from 'vitest';
import { placesIn } from '../places.ts';
import { specOf } from '../testing/sandboxes.ts';
import { enterArguments, inputArguments, type Mode } from './enter-command.ts';
import { directoriesOf, placesOf } from './sandbox-directory.ts';

const ROOT: Mode = { ids: { base: 100_000, count: 65_536 }, userxattr: false, oneId: false };
const image = { lowers: ['/top', '/bottom'], binds: [{ from: '/usr', to: '/usr' }] };

function argumentsOf(change: Parameters<typeof specOf>[1], mode = ROOT): string {
  const spec = specOf('task-1', change);
  const places = placesOf(placesIn('/d'), spec.handle);
  const parts = { mode, places, directories: directoriesOf(places, spec), spec, image, cgroups: ['/cg/cgroup.procs'] };
  return enterArguments(parts).join(' ').replaceAll(places.dir, 'DIR');
}

test('[LOCAL12] the command of a sandbox names its layers, mounts and files', () => {
  expect(argumentsOf({ mounts: ['/a/b', '/a'] })).toBe(
    '--enter --lock DIR/lock --pid DIR/pid --over DIR/over --lower /top --lower /bottom --scratch DIR ' +
      '--robind /usr /usr --robind DIR/control /tmp/seaplane --bind DIR/control/records /tmp/seaplane/records ' +
      '--bind DIR/build /tmp/build --bind DIR/mounts/1 /a --bind DIR/mounts/0 /a/b --ids 100000 65536 ' +
      '--cgroup /cg/cgroup.procs --hostname task-1 --',
  );
});

test.each<[string, Parameters<typeof specOf>[1], Mode, string[]]>([
  ['privileged', { privileged: true }, ROOT, ['--privileged']],
  ['hermetic', { hermetic: true }, ROOT, ['--ids 100000 65536', '--hermetic']],
  ['of a user', {}, { userxattr: true, oneId: false }, ['--userxattr']],
  ['of a user with one id', {}, { userxattr: true, oneId: true }, ['--userxattr --one-id']],
])('[LOCAL9] a sandbox that is %s gets no other rights', (_, change, mode, expected) => {
  const flags = argumentsOf(change, mode)
    .replace(/^.* \/tmp\/build /, '')
    .replace(/ --cgroup.*$/, '');
  expect(flags).toBe(expected.join(' '));
});

test.each<[string, boolean, Mode, string]>([
  ['', false, ROOT, ' --ids 100000 65536'],
  [' of a privileged step', true, ROOT, ''],
  [' of a user', false, { userxattr: true, oneId: true }, ' --userxattr'],
])('[LOCAL32] the command that shows an input%s has the rights of the sandbox', (_, privileged, mode, rights) => {
  const spec = specOf('task-1', { privileged });
  const places = placesOf(placesIn('/d'), spec.handle);
  const parts = { mode, places, spec, lower: '/tree', scratch: '/scratch', at: '/tmp/build/in' };
  expect(inputArguments(parts).join(' ')).toBe(
    `--input --pid ${places.pid} --lower /tree --scratch /scratch --at /tmp/build/in${rights}`,
  );
});
