import { expect, test } from 'vitest';
import { workerCommand } from './worker-command.ts';

async function outcome(platform: NodeJS.Platform, ...flags: string[]) {
  const said: string[] = [];
  const write = process.stderr.write;
  process.stderr.write = (text: string | Uint8Array) => said.push(String(text)) > 0;
  try {
    const status = await workerCommand(
      ['--web', 'http://ci', '--key', '/no/such/key', '--data-dir', '/d', ...flags],
      platform,
    );
    return { status, said: said.join('') };
  } finally {
    process.stderr.write = write;
  }
}

test('[WORK4] on macOS steps run as plain processes or not at all, and both is said', async () => {
  expect(await outcome('darwin')).toEqual({
    status: 2,
    said:
      'seaplane: macOS has no isolation for steps: name --plain-processes to run them as plain processes\n' +
      'seaplane: seaplane worker --help shows the flags\n',
  });
  const named = await outcome('darwin', '--plain-processes');
  expect(named.said).toMatch(/^seaplane: steps run as plain processes of the user \S+, without isolation\n/);
  expect(named).toMatchObject({ status: 2, said: expect.stringContaining('the key /no/such/key cannot be read') });
  expect((await outcome('linux')).said).not.toContain('plain');
  expect((await outcome('win32')).said).toContain('a worker needs Linux or macOS');
});
