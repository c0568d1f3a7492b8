import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { supervisorProgram } from '@seaplane/baggageclaim/testing';
import { whyNoRoot } from '@seaplane/dev-toolchain/testing/requirements.ts';
import { afterAll, test as anyTest, beforeAll, describe, expect } from 'vitest';
import { Supervised } from './testing/supervised.ts';

const test = anyTest.skipIf(whyNoRoot());

let program = '';
let scratch = '';
beforeAll(async () => {
  program = supervisorProgram();
  scratch = mkdtempSync(join(tmpdir(), 'supervisor-test-'));
  chmodSync(scratch, 0o755);
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const SIZE = { columns: 500, rows: 400 };
const sh = (script: string) => ({ path: 'sh', args: ['-c', script] });

test('[SUP1] a process runs as asked for, and its record comes after its output', async () => {
  await using supervised = await Supervised.start(program);
  const script = 'echo "$0|$1|$NAME|$(pwd)"; echo oops >&2; exit 3';
  const { end, record, stdout, stderr } = await supervised.result({
    path: 'sh',
    args: ['-c', script, 'zero', 'one two'],
    env: ['NAME=a value', 'EMPTY='],
    dir: scratch,
  });
  expect(stdout).toBe(`zero|one two|a value|${scratch}\n`);
  expect(stderr).toBe('oops\n');
  expect(end).toEqual({ kind: 'exited', status: 3 });
  const [json = ''] = readFileSync(join(supervised.dir, 'records/p.exit'), 'utf8').split('\n');
  expect(JSON.parse(json)).toEqual(record);
});

test('[SUP1] every byte comes through pipes, 100 MB of them, in order', async () => {
  await using supervised = await Supervised.start(program);
  const file = join(scratch, 'random');
  execFileSync('sh', ['-c', `head -c 100000000 /dev/urandom > ${file}`]);
  const { end } = await supervised.result(sh(`cat ${file}; cat ${file} | head -c 50000000 >&2`));
  expect(end).toEqual({ kind: 'exited', status: 0 });
  const expected = readFileSync(file);
  expect(supervised.bytes('p', 'stdout').equals(expected)).toBe(true);
  expect(supervised.bytes('p', 'stderr').equals(expected.subarray(0, 50_000_000))).toBe(true);
});

test('[SUP2] every byte comes through a terminal, also the last ones, also when a child still has it open', async () => {
  await using supervised = await Supervised.start(program);
  const lines = Array.from({ length: 200_000 }, (_, i) => `${i + 1}\r\n`).join('');
  for (let round = 0; round < 10; round++) {
    const id = `round-${round}`;
    const { stdout } = await supervised.result({ id, ...sh('sleep 1000 & seq 1 200000'), tty: SIZE });
    expect(stdout === lines, `${id}: ${stdout.length} of ${lines.length} bytes`).toBe(true);
  }
});

test('[SUP2] output that a terminal still holds when its process ends is read, however late', async () => {
  await using supervised = await Supervised.start(program);
  const [ready, go] = [join(scratch, 'ready'), join(scratch, 'go')];
  execFileSync('mkfifo', [ready, go]);
  for (const [id, holder] of [
    ['alone', ''],
    ['held', 'sleep 1000 &'],
  ] as const) {
    // More than a line discipline holds, less than makes a writer wait.
    supervised.run({ id, ...sh(`${holder} echo $$ > ${ready}; read _ < ${go}; seq 1001 2000`), tty: SIZE });
    const pid = (await readFile(ready, 'utf8')).trim();
    supervised.child.kill('SIGSTOP');
    await writeFile(go, 'go\n');
    while (!/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))) await sleep(5);
    supervised.child.kill('SIGCONT');
    await supervised.exit(id);
    expect(supervised.output(id)).toBe(Array.from({ length: 1000 }, (_, i) => `${1001 + i}\r\n`).join(''));
  }
});

test('[SUP2] a terminal has the size asked for, is the controlling one, and merges the streams', async () => {
  await using supervised = await Supervised.start(program);
  const script = 'stty size; test -t 0 && test -t 1 && test -t 2 && echo tty; echo to-err >&2; echo direct > /dev/tty';
  const { stdout, stderr } = await supervised.result({ ...sh(script), tty: SIZE });
  expect(stdout).toBe('400 500\r\ntty\r\nto-err\r\ndirect\r\n');
  expect(stderr).toBe('');
});

test('[SUP2] a process that closes its terminal runs on, and may open it again', async () => {
  await using supervised = await Supervised.start(program);
  const script = 'exec 3>/dev/null 0<&- 1>&- 2>&-; sleep 0.3; exec >/dev/tty; echo again';
  const { stdout, end } = await supervised.result({ ...sh(script), tty: SIZE });
  expect({ stdout, end }).toEqual({ stdout: 'again\r\n', end: { kind: 'exited', status: 0 } });
});

test('[SUP2] without a terminal, a process reads the given stdin and its end, and stdin is in no file', async () => {
  await using supervised = await Supervised.start(program);
  const stdin = `{"secret":"s3cr3t"}${'x'.repeat(300_000)}`;
  const { stdout } = await supervised.result({ ...sh('sleep 0.1; cat | wc -c; test -t 1 || echo pipes'), stdin });
  expect(stdout).toBe(`${stdin.length}\npipes\n`);
  expect(() => execFileSync('grep', ['-r', 's3cr3t', supervised.dir])).toThrow();
  const ignored = await supervised.result({ id: 'ignores', path: 'true', stdin });
  expect(ignored.end).toEqual({ kind: 'exited', status: 0 });
});

test('[SUP2] a process that closes its pipes runs on, and its exit is what counts', async () => {
  await using supervised = await Supervised.start(program);
  const { end, stdout } = await supervised.result({
    ...sh('echo first; exec 0<&- 1>&- 2>&-; sleep 0.1; exit 3'),
    stdin: 'x'.repeat(1_000_000),
  });
  expect({ end, stdout }).toEqual({ end: { kind: 'exited', status: 3 }, stdout: 'first\n' });
});

test('[SUP3] an id runs once', async () => {
  await using supervised = await Supervised.start(program);
  const file = join(scratch, 'ran');
  supervised.run(sh(`echo ran >> ${file}`));
  supervised.run(sh(`echo ran >> ${file}`));
  await supervised.exit();
  supervised.run({ ...sh(`echo ran >> ${file}`), attempt: 'second' });
  await supervised.result({ id: 'other', path: 'true' });
  expect(readFileSync(file, 'utf8')).toBe('ran\n');
});

test('[SUP3] a restarted supervisor runs nothing twice, and believes no record that it did not write', async () => {
  const dir = mkdtempSync(join(scratch, 'again-'));
  const first = await Supervised.start(program, { dir });
  await first.result({ id: 'done', ...sh('exit 7') });
  first.run({ id: 'lost', ...sh('echo $$; exec sleep 1000') });
  await first.untilOutput('\n', 'lost');
  first.child.kill('SIGKILL');
  process.kill(Number(first.output('lost')), 'SIGKILL');
  first.goAway();
  await using second = await Supervised.start(program, { dir });
  expect((await second.result({ id: 'done', path: 'true' })).end).toMatchObject({ kind: 'interrupted' });
  expect((await second.result({ id: 'lost', path: 'true' })).end).toMatchObject({ kind: 'interrupted' });
});

test('[SUP4] processes run side by side', async () => {
  await using supervised = await Supervised.start(program);
  const fifo = join(scratch, 'fifo');
  execFileSync('mkfifo', [fifo]);
  supervised.run({ id: 'reader', ...sh(`cat ${fifo}`) });
  supervised.run({ id: 'writer', ...sh(`echo hello > ${fifo}; exit 1`) });
  expect((await supervised.exit('reader')).end).toEqual({ kind: 'exited', status: 0 });
  expect((await supervised.exit('writer')).end).toEqual({ kind: 'exited', status: 1 });
  expect(supervised.output('reader')).toBe('hello\n');
});

describe('environment and users', () => {
  const PASSWD = 'root:x:0:0::/root-home:/bin/sh\nbuilder:x:1234:2345::/home/builder:/bin/sh\nbroken\n';
  const GROUP = 'root:x:0:\nbuilders:x:2345:\ndocker:x:777:someone,builder\nwheel:x:778:builder\nnot:x:779:builder2\n';
  let inImage: { wrap: string[] };

  beforeAll(() => {
    writeFileSync(join(scratch, 'passwd'), PASSWD);
    writeFileSync(join(scratch, 'group'), GROUP);
    const mounts = ['passwd', 'group'].map((name) => `mount --bind ${scratch}/${name} /etc/${name}`).join(' && ');
    inImage = { wrap: ['unshare', '-m', 'sh', '-c', `${mounts} && exec "$@"`, 'sh'] };
  });

  const ids = 'echo $(id -u):$(id -g) $(id -G)';

  test.each([
    ['', '0:0 0'],
    ['root', '0:0 0'],
    ['builder', '1234:2345 2345 777 778'],
    ['1234', '1234:2345 2345 777 778'],
    ['4321', '4321:0 0'],
    ['builder:docker', '1234:777 777'],
    ['builder:99', '1234:99 99'],
    ['4321:8765', '4321:8765 8765'],
  ])('[SUP6] the user %j is %s', async (user, expected) => {
    await using supervised = await Supervised.start(program, inImage);
    expect((await supervised.result({ ...sh(ids), user })).stdout).toBe(`${expected}\n`);
  });

  test.each([
    ['nobody-here', 'no user "nobody-here"'],
    ['builder:nothing', 'no group "nothing"'],
    ['broken', 'no user "broken"'],
  ])('[SUP10] the user %j is unknown', async (user, message) => {
    await using supervised = await Supervised.start(program, inImage);
    const { end } = await supervised.result({ path: 'true', user });
    expect(end).toMatchObject({ kind: 'not-started', cause: 'user', message: expect.stringContaining(message) });
  });

  const show = sh('echo "$PATH|$HOME|$USER|$IMAGE|$KUBERNETES_PORT|$ASKED"');

  test("[SUP5] defaults are the account's, and nothing of the cluster is seen", async () => {
    const env = { IMAGE: 'i', HOME: '/root-home', KUBERNETES_PORT: 'tcp://10.0.0.1:443' };
    // `unshare` and `sh` are found without a PATH in its environment.
    await using supervised = await Supervised.start(program, { ...inImage, env });
    expect((await supervised.result({ id: 'a', ...show })).stdout).toBe(
      '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin|/root-home|root|i||\n',
    );
    expect((await supervised.result({ id: 'b', ...show, user: '1234', env: ['ASKED=x', 'IMAGE=over'] })).stdout).toBe(
      '/usr/local/bin:/usr/bin:/bin|/home/builder|builder|over||x\n',
    );
    expect((await supervised.result({ id: 'c', ...show, user: '77' })).stdout).toContain('|/|77|');
  });

  test('[SUP5] variables of the image and the request win', async () => {
    await using supervised = await Supervised.start(program, { ...inImage, env: { PATH: '/bin', HOME: '/of-image' } });
    expect((await supervised.result({ id: 'a', ...show, user: 'builder' })).stdout).toBe('/bin|/of-image|builder|||\n');
    const env = ['HOME=/asked', 'PATH=/usr/bin', 'USER=me'];
    expect((await supervised.result({ id: 'b', ...show, env })).stdout).toBe('/usr/bin|/asked|me|||\n');
    expect((await supervised.result({ id: 'c', ...show, env, user: 'builder' })).stdout).toContain('|builder|');
  });

  test('[SUP7] directories belong to the user, and no link is followed', async () => {
    const dir = mkdtempSync(join(scratch, 'own-'));
    mkdirSync(join(dir, 'a/b/c'), { recursive: true });
    writeFileSync(join(dir, 'a/b/file'), '');
    const outside = join(scratch, 'outside');
    writeFileSync(outside, '');
    symlinkSync(outside, join(dir, 'a/link'));
    symlinkSync('/', join(dir, 'a/root'));
    await using supervised = await Supervised.start(program, inImage);
    const own = [join(dir, 'a')];
    const { end } = await supervised.result({
      ...sh('touch made b/c/made'),
      user: 'builder',
      own,
      dir: join(dir, 'a'),
    });
    expect(end).toEqual({ kind: 'exited', status: 0 });
    for (const name of ['a', 'a/b', 'a/b/c', 'a/b/file', 'a/made', 'a/b/c/made']) {
      expect(statSync(join(dir, name))).toMatchObject({ uid: 1234, gid: 2345 });
    }
    for (const path of [outside, '/', dir]) expect(statSync(path).uid).toBe(0);
    await supervised.result({ id: 'root', path: 'true', own });
    expect(statSync(join(dir, 'a')).uid).toBe(0);
    expect(statSync(join(dir, 'a/b')).uid).toBe(1234);
  });

  test('[SUP9] a user can open its own streams, also a terminal', async () => {
    await using supervised = await Supervised.start(program, inImage);
    const script = 'echo out > /dev/stdout; echo err > /dev/stderr';
    const pipes = await supervised.result({ id: 'pipes', ...sh(script), user: 'builder' });
    expect(pipes).toMatchObject({ stdout: 'out\n', stderr: 'err\n' });
    const tty = await supervised.result({ id: 'tty', ...sh(script), user: 'builder', tty: SIZE });
    expect(tty.stdout).toBe('out\r\nerr\r\n');
  });
});

test('[SUP8] the working directory is made', async () => {
  await using supervised = await Supervised.start(program);
  const dir = join(scratch, 'made/on/the/way');
  expect((await supervised.result({ path: 'pwd', dir })).stdout).toBe(`${dir}\n`);
});

test('[SUP9] a process starts clean', async () => {
  await using supervised = await Supervised.start(program);
  const script = 'ls /proc/self/fd; grep -E "Sig(Blk|Ign)" /proc/self/status; cut -d" " -f1,5,6 /proc/$$/stat; umask';
  const { stdout } = await supervised.result(sh(script));
  const lines = stdout.trim().split('\n');
  expect(lines.slice(0, 6)).toEqual(['0', '1', '2', '3', `SigBlk:\t${'0'.repeat(16)}`, `SigIgn:\t${'0'.repeat(16)}`]);
  expect(new Set(lines[6]?.split(' ')).size).toBe(1); // it leads its group and its session
  expect(lines[7]).toBe('0022');
});

describe('processes that never start', () => {
  const cases: [string, { path: string; dir?: string }, string, string][] = [
    ['a name that is not in $PATH', { path: 'no-such-tool' }, 'executable', 'executable file not found in $PATH'],
    ['a file that is not there', { path: '/no/such/file' }, 'executable', 'no such file or directory'],
    ['a file that is not executable', { path: '/etc/passwd' }, 'executable', 'permission denied'],
    ['a directory', { path: '/etc' }, 'executable', 'permission denied'],
    ['nothing', { path: '' }, 'executable', 'not found'],
    ['a directory that is a file', { path: 'true', dir: '/etc/passwd' }, 'directory', 'Not a directory'],
    ['a directory below a file', { path: 'true', dir: '/etc/passwd/x' }, 'directory', 'Not a directory'],
  ];
  test.each(cases)('[SUP10] %s', async (_, asked, cause, message) => {
    await using supervised = await Supervised.start(program);
    const { end } = await supervised.result(asked);
    expect(end).toEqual({ kind: 'not-started', cause, message: expect.stringContaining(message) });
  });

  test('[SUP10] a script without an interpreter, and one without a first line', async () => {
    await using supervised = await Supervised.start(program);
    const orphan = join(scratch, 'orphan');
    const plain = join(scratch, 'plain');
    writeFileSync(orphan, '#!/no/such/interpreter\n', { mode: 0o755 });
    writeFileSync(plain, 'echo hello\n', { mode: 0o755 });
    expect((await supervised.result({ id: 'a', path: orphan })).end).toMatchObject({
      cause: 'executable',
      message: expect.stringContaining('interpreter'),
    });
    expect((await supervised.result({ id: 'b', path: plain })).end).toMatchObject({ cause: 'executable' });
    const env = [`PATH=/nowhere:${scratch}`];
    expect((await supervised.result({ id: 'c', path: 'orphan', env })).end).toMatchObject({
      message: expect.stringContaining('interpreter'),
    });
  });

  test('[SUP10] too many arguments are not the fault of the file', async () => {
    await using supervised = await Supervised.start(program);
    const { end } = await supervised.result({ path: 'true', args: ['x'.repeat(200_000)] });
    expect(end).toEqual({ kind: 'not-started', cause: 'system', message: expect.stringContaining('too long') });
  });

  test('[SUP10] exit status 127 is an exit', async () => {
    await using supervised = await Supervised.start(program);
    expect((await supervised.result(sh('exit 127'))).end).toEqual({ kind: 'exited', status: 127 });
  });
});

test('[SUP24] the supervisor runs in an image that holds nothing but one program', async () => {
  const root = mkdtempSync(join(scratch, 'root-'));
  execFileSync('cp', [program, join(root, 'supervisor')]);
  const options = { wrap: ['chroot', root], dir: root, seenAs: '/' };
  await using supervised = await Supervised.start('/supervisor', options);
  const { end } = await supervised.result({ path: '/supervisor', args: ['--install', '/copy'], user: 'root' });
  expect(end).toEqual({ kind: 'exited', status: 0 });
  expect(readFileSync(join(root, 'copy')).equals(readFileSync(program))).toBe(true);
});

test('[SUP23] the program installs itself', () => {
  const copy = join(scratch, 'copy');
  execFileSync(program, ['--install', copy]);
  expect(readFileSync(copy).equals(readFileSync(program))).toBe(true);
  expect(statSync(copy).mode & 0o777).toBe(0o755);
  expect(() => execFileSync(program, ['--install', '/no/such/dir/x'], { stdio: 'pipe' })).toThrow('cannot copy itself');
});
