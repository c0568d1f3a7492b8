import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadRoles } from './load-roles.ts';

async function fileWith(text: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'roles-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  await writeFile(join(directory, 'roles.yml'), text);
  return join(directory, 'roles.yml');
}

test('[WEB27] the roles that actions need come from a file', async () => {
  expect(await loadRoles(undefined)).toEqual({});
  const { actionRoles } = await loadRoles(await fileWith('viewer: [SaveConfig]\nowner:\n- HijackContainer'));
  expect(actionRoles).toMatchObject({ SaveConfig: 'viewer', HijackContainer: 'owner', DeletePipeline: 'member' });
});

test.each([
  ['king: []', 'unknown role king'],
  ['owner: [', 'line'],
])('[WEB27] the file %j keeps web from starting', async (text, message) => {
  const path = await fileWith(text);
  await expect(loadRoles(path)).rejects.toThrow(message);
  await expect(loadRoles(path)).rejects.toThrow(path);
  await expect(loadRoles('/nowhere')).rejects.toThrow('/nowhere');
});
