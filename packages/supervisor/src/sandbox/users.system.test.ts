import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { supervisorProgram } from '@seaplane/baggageclaim/testing';
import { imageRootfs } from '@seaplane/dev-images';
import { ensureDebianPackages } from '@seaplane/dev-toolchain/debian-packages.ts';
import { stderrProgress } from '@seaplane/dev-toolchain/progress.ts';
import { whyNoPackages } from '@seaplane/dev-toolchain/requirements.ts';
import { afterAll, test as anyTest, beforeAll, expect } from 'vitest';
import {
  inputOptions,
  MANY_IDS,
  makeInput,
  makePlace,
  type Place,
  startIn,
  whyNoBusybox,
} from '../testing/sandboxed.ts';
import type { Supervised } from '../testing/supervised.ts';

const test = anyTest.skipIf(whyNoBusybox());
/** An ordinary user without an account, and one whom the tests give more ids. */
const USER = 54321;
const USER_WITH_IDS = 54322;
const FIRST_ID = 400000;
const sh = (script: string) => ({ path: 'sh', args: ['-c', script] });

let program = '';
let dir = '';
let busybox = '';
beforeAll(async () => {
  if (whyNoBusybox()) return;
  busybox = await imageRootfs('busybox', stderrProgress('test'));
  dir = mkdtempSync(join(tmpdir(), 'users-test-'));
  chmodSync(dir, 0o755);
  program = join(dir, 'supervisor');
  copyFileSync(supervisorProgram(), program);
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** A directory of the user, with an image that was unpacked as that user. */
function homeOf(uid: number): string {
  const home = mkdtempSync(join(dir, 'home-'));
  cpSync(busybox, join(home, 'image'), { recursive: true, verbatimSymlinks: true });
  execFileSync('chown', ['-R', `${uid}:${uid}`, home]);
  return home;
}

const asUser = (uid: number, ...command: string[]) => [
  ...['setpriv', '--reuid', String(uid), '--regid', String(uid), '--clear-groups'],
  ...[program, '--userns', '--', ...command],
];

async function startAs(uid: number, extra: readonly string[], wrap: readonly string[] = []) {
  using undo = new DisposableStack();
  const home = homeOf(uid);
  const place = undo.use(makePlace());
  execFileSync('chown', ['-R', `${uid}:${uid}`, place.dir]);
  const supervised = await startIn(place, program, join(home, 'image'), extra, [...wrap, ...asUser(uid)]);
  const kept = undo.move();
  return {
    supervised,
    place,
    home,
    [Symbol.asyncDispose]: () => supervised[Symbol.asyncDispose]().then(() => kept.dispose()),
  };
}

/** Shows an input as the user's agent does, from its user namespace, and changes it. */
async function expectInput({ supervised, place }: { supervised: Supervised; place: Place }): Promise<void> {
  makeInput(place);
  const options = inputOptions(place);
  const { uid, gid } = statSync(place.dir);
  for (const name of ['input', 'lower', 'build/in']) execFileSync('chown', ['-R', `${uid}:${gid}`, place.at(name)]);
  const enter = ['--user', '--target', String(supervised.child.pid), '--setuid', '0', '--setgid', '0', program];
  const shown = spawnSync('nsenter', [...enter, ...options, '--userxattr'], { encoding: 'utf8' });
  expect(shown).toMatchObject({ status: 0, stderr: '' });
  const script = 'cd /tmp/build/in; cat file; rm -r old; mkdir old; echo more >> file; cat file; ls old';
  expect((await supervised.result({ id: 'input', ...sh(script) })).stdout).toBe('text\ntext\nmore\n');
  expect(readFileSync(place.at('lower/file'), 'utf8')).toBe('text\n');
}

test('[SUP42] an input is shown to the sandbox of a user with one id', async () => {
  await using box = await startAs(USER, ['--userxattr', '--one-id']);
  await expectInput(box);
});

test('[SUP38] an ordinary user without more ids has sandboxes with one id', async () => {
  await using box = await startAs(USER, ['--userxattr', '--one-id', '--hermetic']);
  const script =
    'cat /proc/self/uid_map; id -u; rm -rf /home /bin/vi; ls /home 2>&1; echo x > /tmp/build/out; ls /sys/class/net; chown 5 /tmp/build/out 2>&1';
  const { stdout } = await box.supervised.result(sh(script));
  expect(stdout).toMatch(new RegExp(`^ +0 +${USER} +1\n0\n`));
  expect(stdout).toContain('/home: No such file or directory\nlo\n');
  expect(stdout).toMatch(/Invalid argument\n$/);
  expect(statSync(box.place.at('build/out')).uid).toBe(USER);
  expect(lstatSync(join(box.home, 'image/bin/vi')).isSymbolicLink()).toBe(true);
  const tty = { id: 'tty', ...sh('tty'), tty: { columns: 80, rows: 24 } };
  expect((await box.supervised.result(tty)).stdout).toBe('/dev/pts/0\r\n');
  const other = await box.supervised.result({ id: 'other', ...sh('true'), user: '1000' });
  expect(other.end).toMatchObject({
    ...{ kind: 'not-started', cause: 'system', message: expect.stringContaining('need the program newuidmap') },
  });
});

const UIDMAP = ['uidmap'];
anyTest.skipIf(whyNoBusybox() ?? whyNoPackages(UIDMAP))(
  '[SUP38] newuidmap gives an ordinary user the ids of /etc/subuid',
  async () => {
    await ensureDebianPackages(UIDMAP, stderrProgress('test'));
    // A mount namespace in which the user has an account, which newuidmap wants, and more ids.
    const lines = {
      passwd: `tester:x:${USER_WITH_IDS}:${USER_WITH_IDS}::/:/bin/sh`,
      group: `tester:x:${USER_WITH_IDS}:`,
      subuid: `tester:${FIRST_ID}:65536`,
      subgid: `${USER_WITH_IDS}:${FIRST_ID}:65536`,
    };
    const binds = Object.entries(lines).map(([name, line]) => {
      const file = join(dir, name);
      writeFileSync(file, `root:x:0:0::/root:/bin/sh\n${line}\n`);
      return `touch /etc/${name} && mount --bind ${file} /etc/${name}`;
    });
    const wrap = ['unshare', '--mount', 'sh', '-c', `${binds.join(' && ')} && exec "$@"`, 'sh'];
    await using box = await startAs(USER_WITH_IDS, ['--userxattr'], wrap);
    const script = 'cat /proc/self/uid_map; echo x > /tmp/build/out; chown 5 /tmp/build/out';
    const { stdout, end } = await box.supervised.result(sh(script));
    expect(end).toEqual({ kind: 'exited', status: 0 });
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => line.trim().split(/ +/)),
    ).toEqual([
      ['0', String(USER_WITH_IDS), '1'],
      ['1', String(FIRST_ID), '65535'],
    ]);
    expect(statSync(box.place.at('build/out')).uid).toBe(FIRST_ID + 4);
    const other = await box.supervised.result({ id: 'other', ...sh('id -u'), user: '1000', own: ['/tmp/build'] });
    expect(other.stdout).toBe('1000\n');
    await expectInput(box);
  },
);

test('[SUP38] a machine that allows no user namespaces says which line to type', () => {
  // A user namespace has a limit of its own.
  const script = `echo 0 > /proc/sys/user/max_user_namespaces && exec ${program} --userns -- true`;
  const ordinary = ['--reuid', String(USER), '--regid', String(USER), '--clear-groups'];
  const namespace = ['unshare', '--user', '--map-current-user', '--keep-caps', 'sh', '-c', script];
  const { stderr, status } = spawnSync('setpriv', [...ordinary, ...namespace]);
  expect(status).toBe(125);
  expect(String(stderr)).toBe(
    'supervisor: cannot make a user namespace: No space left on device; this machine allows no user namespaces; to allow them, type: sudo sysctl -w user.max_user_namespaces=15000\n',
  );
});

test('[SUP39] a probe makes a sandbox and says what the machine can do, or why not', () => {
  const probe = (...command: string[]) => {
    const [path = '', ...args] = command;
    return JSON.parse(spawnSync(path, args, { encoding: 'utf8' }).stdout) as Record<string, unknown>;
  };
  const place = mkdtempSync(join(dir, 'probe-'));
  expect(probe(program, '--probe', '--scratch', place, ...MANY_IDS)).toMatchObject({
    ...{ works: true, privileged: true, userxattr: false, oneId: false, hermetic: true },
  });
  chownSync(place, USER, USER);
  expect(probe(...asUser(USER, program, '--probe', '--scratch', place))).toMatchObject({
    ...{ works: true, privileged: false, userxattr: true, oneId: true, hermetic: true, cgroups: {} },
  });
  expect(execFileSync('ls', [place]).length).toBe(0);
  expect(probe(program, '--probe', '--scratch', '/no/such', ...MANY_IDS)).toEqual({
    works: false,
    why: 'cannot use /no/such: No such file or directory',
  });
  const noexec = `mount -t tmpfs -o noexec probe ${place} && exec ${program} --probe --scratch ${place} ${MANY_IDS.join(' ')}`;
  const { works, why } = probe('unshare', '--mount', 'sh', '-c', noexec);
  expect(works).toBe(false);
  expect(why).toContain(
    'is mounted noexec, so no step can run in it; choose another data directory, or type: sudo mount',
  );
});

/** What a sandbox shows of two layers, after the whiteouts of the upper one were converted. */
async function showLayers(start: (lowers: string[]) => ReturnType<typeof startAs>, convert: (layer: string) => void) {
  const layers = mkdtempSync(join(dir, 'layers-'));
  for (const path of ['low/a', 'low/b/c', 'low/d/e', 'low/f']) {
    mkdirSync(join(layers, path, '..'), { recursive: true });
    writeFileSync(join(layers, path), path);
  }
  for (const path of [
    'high/.wh.a',
    'high/b/.wh..wh..opq',
    'high/b/new',
    'high/.wh.d',
    'high/d/own',
    'high/.wh.f',
    'high/f',
    'high/.wh..wh.plnk',
  ]) {
    mkdirSync(join(layers, path, '..'), { recursive: true });
    writeFileSync(join(layers, path), path);
  }
  chmodSync(layers, 0o755);
  convert(layers);
  await using box = await start([join(layers, 'high'), join(layers, 'low')]);
  return (await box.supervised.result(sh('cd /; find a b d f .wh* 2>/dev/null | sort | tr "\\n" " "; cat f'))).stdout;
}

const CONVERTED = 'b b/new d d/own f high/f';

test('[SUP40] whiteouts of a layer hide what lies below, for root and for ordinary users', async () => {
  const convert = (layers: string) => execFileSync(program, ['--whiteouts', join(layers, 'high')]);
  const start = async (lowers: string[]) => {
    const place = makePlace();
    const supervised = await startIn(
      place,
      program,
      lowers[0] as string,
      [...lowers.slice(1), busybox].flatMap((l) => ['--lower', l]).concat(MANY_IDS),
    );
    return {
      supervised,
      place,
      home: '',
      [Symbol.asyncDispose]: () => supervised[Symbol.asyncDispose]().then(() => place[Symbol.dispose]()),
    };
  };
  expect(await showLayers(start, convert)).toBe(CONVERTED);
  const asOrdinary = (layers: string) => {
    execFileSync('chown', ['-R', `${USER}:${USER}`, layers]);
    const [path = '', ...args] = asUser(USER, program, '--whiteouts', '--userxattr', join(layers, 'high'));
    execFileSync(path, args);
  };
  const startOrdinary = (lowers: string[]) =>
    startAs(USER, ['--userxattr', '--one-id', ...lowers.flatMap((lower) => ['--lower', lower])]);
  expect(await showLayers(startOrdinary, asOrdinary)).toBe(CONVERTED);
  const refused = spawnSync(program, ['--whiteouts', '/no/such'], { encoding: 'utf8' });
  expect([refused.status, refused.stderr]).toEqual([
    1,
    'supervisor: cannot prepare the layer /no/such for an overlay: No such file or directory\n',
  ]);
});

test('[SUP41] system calls that reach past namespaces are refused, unless the step is privileged', async () => {
  // The machine's own Perl, which can make any system call.
  const links = mkdtempSync(join(dir, 'links-'));
  for (const name of ['lib', 'lib64']) symlinkSync(`usr/${name}`, join(links, name));
  chmodSync(links, 0o755);
  const keyctl = process.arch === 'arm64' ? 219 : 250;
  const describeKey = `perl -e 'syscall(${keyctl}, 6, 0, 0, 0, 0); print $!'; grep -E "^Seccomp:" /proc/self/status`;
  const answer = async (extra: readonly string[]) => {
    using place = makePlace();
    const options = ['--lower', busybox, '--robind', '/usr', '/usr', ...extra];
    await using supervised = await startIn(place, program, links, options);
    return (await supervised.result(sh(describeKey))).stdout;
  };
  expect(await answer(MANY_IDS)).toBe('Operation not permittedSeccomp:\t2\n');
  expect(await answer(['--privileged'])).toMatch(/^(?!Operation not permitted).+Seccomp:\t0\n$/);
});
