// Runs a TypeScript entry point of this repository on the pinned Node, from whatever state the checkout is in.
//
//   node dev/bootstrap.mjs ENTRY.ts [ARGS...]
//
// It is the one file that must run on any Node >= 20, before anything is installed: it installs the dependencies when
// the lock file has changed since the last install, finds Node 24 (an npm package on Linux) and hands over to it.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MIN_NODE_MAJOR = 24;
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, 'node_modules');
const stamp = join(modules, '.seaplane-lock-hash');

function lockHash() {
  return createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
}

function installed() {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === lockHash();
}

/** Two commands started at once must not install over each other: the second waits for the first. */
function withInstallLock(action) {
  const lock = join(root, '.seaplane', 'install.lock');
  mkdirSync(dirname(lock), { recursive: true });
  for (let waited = false; ; waited = true) {
    try {
      writeFileSync(lock, `${process.pid} ${startTime(process.pid)}`, { flag: 'wx' });
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      if (ownerIsGone(lock)) {
        rmSync(lock, { force: true });
        continue;
      }
      if (!waited) console.error(`seaplane: waiting for another command that installs dependencies (${lock}) ...`);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
    }
  }
  try {
    return action();
  } finally {
    rmSync(lock, { force: true });
  }
}

function ownerIsGone(lock) {
  try {
    const [pid, started] = readFileSync(lock, 'utf8').split(' ');
    if (!Number(pid)) return Date.now() - statSync(lock).mtimeMs > 2_000; // its owner died between create and write
    process.kill(Number(pid), 0);
    return startTime(pid) !== (started ?? ''); // a pid may have been given again
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

/** When a process started, as the kernel counts; undefined if there is no /proc. */
function startTime(pid) {
  const file = `/proc/${pid}/stat`;
  return existsSync(file)
    ? readFileSync(file, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')[19]
    : '';
}

/** False when npm failed; it has said why. */
function install() {
  if (installed()) return true;
  return withInstallLock(() => {
    if (installed()) return true;
    console.error('seaplane: installing dependencies (npm install) ...');
    // No dependency needs its install script: native parts are plain files in optional packages. Not `npm ci`: it
    // refuses a lock file that lacks packages for other platforms, and npm leaves those out if a registry does not have them.
    const args = ['install', '--no-save', '--ignore-scripts', '--no-fund', '--no-audit', '--loglevel=error'];
    const npm = process.env.npm_execpath;
    const result = npm?.endsWith('.js')
      ? spawnSync(process.execPath, [npm, ...args], { cwd: root, stdio: ['ignore', 2, 2] })
      : spawnSync('npm', args, { cwd: root, stdio: ['ignore', 2, 2] });
    if (result.status === 0) writeFileSync(stamp, lockHash());
    else if (result.error) console.error(`seaplane: npm could not be run: ${result.error.message}`);
    else console.error('seaplane: npm install failed; see its messages above. Is the npm registry reachable?');
    return result.status === 0;
  });
}

function findNode() {
  const pinned = join(modules, `node-${process.platform}-${process.arch}`, 'bin', 'node');
  if (existsSync(pinned)) return pinned;
  if (Number(process.versions.node.split('.')[0]) >= MIN_NODE_MAJOR) return process.execPath;
  console.error(
    `seaplane: Node ${MIN_NODE_MAJOR} or newer is needed and comes with npm only on Linux (x64, arm64); ` +
      `this is Node ${process.versions.node} on ${process.platform}-${process.arch}. Install Node ${MIN_NODE_MAJOR} and run this again.`,
  );
  process.exit(1);
}

const [entry, ...args] = process.argv.slice(2);
if (!entry) {
  console.error('usage: node dev/bootstrap.mjs ENTRY.ts [ARGS...]');
  process.exit(2);
}
if (!install()) process.exit(1);
const node = findNode();
// Children stop on the first signal and ignore repeats, so it does no harm that a terminal has signalled them already.
// The handlers are set before the child is started: a signal in between would end this process alone.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
const child = spawn(node, [join(root, entry), ...args], {
  stdio: 'inherit',
  env: { ...process.env, PATH: [dirname(node), join(modules, '.bin'), process.env.PATH].join(delimiter) },
});
child.on('exit', (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code));
