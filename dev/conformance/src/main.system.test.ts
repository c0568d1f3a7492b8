import { join } from 'node:path';
import { run } from '@seaplane/dev-toolchain/run.ts';
import { expect, test } from 'vitest';

const MAIN = join(import.meta.dirname, 'main.ts');
const NOBODY = ['--reuid=65534', '--regid=65534', '--clear-groups', '--'];

test.runIf(process.platform === 'linux' && process.getuid?.() === 0)(
  '[CONF21] without root the real Concourse is refused at once, and nothing is built',
  async () => {
    const command = [process.execPath, MAIN, '--host', 'concourse'];
    const { code, stderr } = await run('setpriv', [...NOBODY, ...command], { ok: 'any' });
    expect(stderr).toBe(
      'conformance: Concourse runs containers: it needs Linux and root (namespaces, cgroups, mounts)\n',
    );
    expect(code).toBe(1);
  },
);
