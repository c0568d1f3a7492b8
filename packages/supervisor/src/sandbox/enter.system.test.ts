import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
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
import { stderrProgress } from '@seaplane/dev-toolchain/progress.ts';
import { afterAll, test as anyTest, beforeAll, expect } from 'vitest';
import { ID_BASE, MANY_IDS, makePlace, startIn, whyNoBusybox } from '../testing/sandboxed.ts';

const test = anyTest.skipIf(whyNoBusybox());
const program = supervisorProgram();
const sh = (script: string) => ({ path: 'sh', args: ['-c', script] });

let busybox = '';
let scratch = '';
beforeAll(async () => {
  if (whyNoBusybox()) return;
  busybox = await imageRootfs('busybox', stderrProgress('test'));
  scratch = mkdtempSync(join(tmpdir(), 'enter-test-'));
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

test('[SUP28] a step sees the image and its volumes, and no other file of the machine', async () => {
  using place = makePlace();
  mkdirSync(place.at('tools'));
  writeFileSync(place.at('tools/tool'), 'a tool\n');
  const extra = [...MANY_IDS, '--robind', place.at('tools'), '/opt/tools', '--hostname', 'box'];
  await using supervised = await startIn(place, program, busybox, extra);
  const look = `ls / | tr '\\n' ' '; hostname; cat /opt/tools/tool; ls ${place.dir} ${import.meta.dirname} 2>&1; tr '\\0' ' ' < /proc/1/cmdline`;
  const { stdout } = await supervised.result(sh(look));
  expect(stdout).toContain('bin dev etc home opt proc root run sbin sys tmp usr var box\na tool\n');
  expect(stdout.match(/No such file or directory/g)).toHaveLength(2);
  expect(stdout.split('\n').at(-1)).not.toContain(place.dir);
  const write = await supervised.result({
    id: 'write',
    ...sh('echo x > /made; rm /bin/vi; echo y > /tmp/build/out; echo z > /opt/tools/tool'),
  });
  expect(write.stderr).toContain('Read-only file system');
  expect(readFileSync(place.at('build/out'), 'utf8')).toBe('y\n');
  expect(existsSync(join(busybox, 'made'))).toBe(false);
  expect(existsSync(join(busybox, 'bin/vi'))).toBe(true);
});

test('[SUP28] the layers of an image lie on each other, the first on top', async () => {
  using place = makePlace();
  const top = mkdtempSync(join(scratch, 'top, of:'));
  mkdirSync(join(top, 'etc'));
  writeFileSync(join(top, 'etc/motd'), 'the top layer\n');
  await using supervised = await startIn(place, program, top, ['--lower', busybox, ...MANY_IDS]);
  expect((await supervised.result(sh('cat /etc/motd; id -un'))).stdout).toBe('the top layer\nroot\n');
});

test('[SUP28] links of an image lead nowhere outside of the sandbox', async () => {
  using place = makePlace();
  const evil = mkdtempSync(join(scratch, 'evil-'));
  const outside = mkdtempSync(join(scratch, 'outside-'));
  mkdirSync(join(evil, outside), { recursive: true });
  for (const name of ['etc', 'opt', 'dev']) symlinkSync(outside, join(evil, name));
  const volume = ['--bind', place.at('build'), '/opt/volume'];
  await using supervised = await startIn(place, program, evil, ['--lower', busybox, '--privileged', ...volume]);
  expect((await supervised.result(sh(`ls ${outside}`))).stdout).toContain('volume');
  expect(readdirSync(outside)).toEqual([]);
});

test('[SUP29] ids are those of the sandbox, in volumes one to one, and root is not root of the machine', async () => {
  using place = makePlace();
  writeFileSync(place.at('build/input'), 'of user 1000\n');
  chownSync(place.at('build/input'), 1000, 1000);
  await using supervised = await startIn(place, program, busybox, MANY_IDS);
  const script =
    'cat /proc/self/uid_map; stat -c %u /tmp/build/input /bin/busybox; cd /tmp/build; touch mine; touch its; chown 33:44 its; touch /made';
  expect((await supervised.result(sh(script))).stdout).toMatch(new RegExp(`^ +0 +${ID_BASE} +65536\n1000\n0\n$`));
  expect(['mine', 'its'].map((name) => statSync(place.at(`build/${name}`)).uid)).toEqual([0, 33]);
  expect(statSync(place.at('scratch/upper/made')).uid).toBe(ID_BASE);
  const user = { id: 'user', ...sh('id -u; id -g; touch /tmp/build/nonroot'), user: '1000:1000', own: ['/tmp/build'] };
  expect((await supervised.result(user)).stdout).toBe('1000\n1000\n');
  expect(statSync(place.at('build/nonroot')).uid).toBe(1000);
});

test('[SUP30] a step has the capabilities that container engines give, and devices and terminals of its own', async () => {
  using place = makePlace();
  await using supervised = await startIn(place, program, busybox, MANY_IDS);
  const script =
    'grep -E "Cap(Prm|Eff|Bnd)" /proc/self/status; ls /dev | tr "\\n" " "; mount -t tmpfs x /root 2>&1; ls /proc/1/fd 2>&1';
  const { stdout } = await supervised.result(sh(script));
  expect(stdout.match(/Cap\w+:\t00000000a80425fb/g)).toHaveLength(3);
  expect(stdout).toContain('fd full mqueue null ptmx pts random shm stderr stdin stdout tty urandom zero ');
  expect(stdout.match(/[Pp]ermission denied|not permitted/g)?.length).toBe(2);
  const tty = { id: 'tty', ...sh('tty; stty size'), tty: { columns: 123, rows: 45 } };
  expect((await supervised.result(tty)).stdout).toBe('/dev/pts/0\r\n45 123\r\n');
});

test('[SUP31] a hermetic sandbox has an empty network', async () => {
  using place = makePlace();
  await using supervised = await startIn(place, program, busybox, [...MANY_IDS, '--hermetic']);
  const { stdout } = await supervised.result(
    sh('ls /sys/class/net; ping -c 1 -W 1 127.0.0.1; ping -c 1 -W 1 192.0.2.1'),
  );
  expect(stdout).toMatch(/^lo\n/);
  expect(stdout).toContain('1 packets transmitted, 1 packets received, 0% packet loss');
  expect(stdout).toContain('1 packets transmitted, 0 packets received, 100% packet loss');
});

test('[SUP32] a privileged sandbox has the ids, the devices and the capabilities of the machine', async () => {
  using place = makePlace();
  await using supervised = await startIn(place, program, busybox, ['--privileged']);
  const { stdout } = await supervised.result(
    sh('cat /proc/self/uid_map; mount -t tmpfs x /root && ls /dev | grep -c .'),
  );
  const [map, devices] = stdout.trim().split('\n');
  expect(map?.trim().split(/ +/)).toEqual(['0', '0', '4294967295']);
  expect(Number(devices)).toBeGreaterThan(20);
});

test('[SUP32] root of the machine gets a sandbox without a user namespace only if it asks for privileges', async () => {
  using place = makePlace();
  await expect(failure(place, [])).resolves.toContain('root of the machine needs --ids, or --privileged');
});

/** Starts a sandbox that cannot be made, and returns its words, which are also in the file `over`. */
async function failure(
  place: ReturnType<typeof makePlace>,
  extra: readonly string[],
  lower = busybox,
): Promise<string> {
  const child = spawn(program, place.options(lower, extra), { stdio: ['ignore', 'ignore', 'pipe'] });
  let words = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    words += chunk;
  });
  const [status] = await once(child, 'close');
  expect(status).toBe(125);
  expect(words).toMatch(/^supervisor: [^\n]+\n$/);
  expect(`supervisor: ${readFileSync(place.at('over'), 'utf8')}`).toBe(words);
  return words;
}
