import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadYaml } from '@kubernetes/client-node';
import { expect, test } from 'vitest';
import { PERMISSIONS } from './role.ts';

interface Role {
  readonly rules: readonly {
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
    readonly verbs: readonly string[];
  }[];
}

test('[KUBE-ACC1] the rights that we ask about are exactly those of the published Role', async () => {
  const path = join(import.meta.dirname, '../../../../deploy/kubernetes/target-role.yaml');
  const { rules } = loadYaml<Role>(await readFile(path, 'utf8'));
  const published = rules.flatMap(({ apiGroups, resources, verbs }) =>
    apiGroups.flatMap((group) => resources.flatMap((resource) => verbs.map((verb) => `${group}/${resource} ${verb}`))),
  );
  const needed = PERMISSIONS.flatMap(({ group, resource, verbs }) =>
    verbs.map((verb) => `${group}/${resource} ${verb}`),
  );
  expect(needed.sort()).toEqual(published.sort());
});
