// A process of the step that wants to be green. It runs as root, in reach of the supervisor's socket and files:
//   node hostile-process.mjs SOCKET RECORDS GO
// It claims to be the supervisor, again and again, and writes records, until the file GO exists. Then it fails.
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const [socketPath, records, go] = process.argv.slice(2);
const green = (id) =>
  JSON.stringify({
    id,
    attempt: 'first',
    end: { kind: 'exited', status: 0 },
    wallSeconds: 0,
    cpuSeconds: 0,
    peakMemoryBytes: 0,
  });
const frame = (type, text) => {
  const header = Buffer.alloc(5);
  header.writeUInt8(type);
  header.writeUInt32BE(Buffer.byteLength(text), 1);
  return Buffer.concat([header, Buffer.from(text)]);
};

/** Resolves when the connection has been closed by the other side, or could not be made. */
function claim(fields) {
  return new Promise((resolve) => {
    const socket = createConnection(socketPath);
    socket.on('error', () => {});
    socket.on('data', (bytes) => process.stdout.write(`took ${bytes.length} bytes: ${bytes.toString('latin1')}\n`));
    socket.on('close', resolve);
    const hello = ['control', '1', ...fields].map((field) => `${field}\0`).join('');
    socket.write(Buffer.concat([frame(16, hello), frame(19, green('p')), frame(19, '{'), frame(19, 'null')]));
  });
}

const seal = 'f'.repeat(64);
writeFileSync(join(records, 'p.exit'), `${green('p')}\n${seal}\n`);
writeFileSync(join(records, 'later.exit'), green('later'));
writeFileSync(join(records, 'half.exit'), '{');
mkdirSync(join(records, 'directory.exit'));
symlinkSync('/dev/zero', join(records, 'link.exit'));
for (const secret of ['', seal, 'p']) await claim([secret, 'p', 'first']);
await claim([]);
process.stdout.write('tried\n');
while (!existsSync(go)) {
  await claim([seal, 'p', 'first']);
  await sleep(1);
}
process.exit(3);
