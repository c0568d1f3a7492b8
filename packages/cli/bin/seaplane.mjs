#!/usr/bin/env node
// The command `seaplane`. It runs on any Node >= 20, and hands over to the Node 24 that npm has installed, if there is one.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import * as module from 'node:module';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MIN_NODE_MAJOR = 24;
const folder = dirname(dirname(fileURLToPath(import.meta.url)));
const main = join(folder, 'src', 'main.ts');
const pinned = join(folder, '../../node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');

if (Number(process.versions.node.split('.')[0]) >= MIN_NODE_MAJOR) {
  // Compiled code is kept for the next start, which then takes half the time. Programs that this one starts use it, too.
  const cache = process.env.XDG_CACHE_HOME || (process.env.HOME && join(process.env.HOME, '.cache'));
  if (cache) process.env.NODE_COMPILE_CACHE ??= join(cache, 'seaplane/node');
  if (process.env.NODE_COMPILE_CACHE) module.enableCompileCache(process.env.NODE_COMPILE_CACHE);
  await import(main);
} else if (existsSync(pinned)) {
  const child = spawn(pinned, process.argv.slice(1), { stdio: 'inherit' });
  // The command acts on the first signal and ignores repeats, so it does no harm that a terminal has signalled it already.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code));
} else {
  console.error(
    `seaplane: Node ${MIN_NODE_MAJOR} or newer is needed, and this is Node ${process.versions.node}. ` +
      'Run npm install in the folder of Seaplane, which brings it on Linux, or install it.',
  );
  process.exitCode = 1;
}
