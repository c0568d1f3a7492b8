import { readFile } from 'node:fs/promises';
import { type ActionRoles, customRoles } from '@seaplane/api';
import { parseYaml } from '@seaplane/config';
import { WebError } from './web-error.ts';

/** The roles that actions need, if the operator has changed them. An error names the file. */
export async function loadRoles(path: string | undefined): Promise<{ readonly actionRoles?: ActionRoles }> {
  if (path === undefined) return {};
  try {
    return { actionRoles: customRoles(parseYaml(await readFile(path, 'utf8'))) };
  } catch (cause) {
    throw new WebError('bad-roles', `The file ${path} with roles: ${(cause as Error).message}.`, { cause });
  }
}
