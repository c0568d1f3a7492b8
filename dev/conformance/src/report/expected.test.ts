import { expect, test } from 'vitest';
import { HOSTS } from '../hosts/index.ts';
import { readExpected } from './expected.ts';
import { readResults } from './files.ts';

const FILES = { directory: new URL('../../../../docs', import.meta.url).pathname, hosts: [] };

test('[CONF9] each known difference names a spec of the suite and hosts that exist, once, and says why', async () => {
  const expected = await readExpected();
  const reference = await readResults(FILES, 'concourse');
  expect(expected.length).toBeGreaterThan(0);
  for (const { name, hosts, reason } of expected) {
    expect(reference?.specs.map((spec) => spec.name)).toContain(name);
    expect(HOSTS.map((host) => host.name)).toEqual(expect.arrayContaining([...hosts]));
    expect(reason).toMatch(/\w/);
  }
  expect(new Set(expected.map(({ name }) => name)).size).toBe(expected.length);
});
