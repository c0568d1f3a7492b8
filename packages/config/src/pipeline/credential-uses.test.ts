import { expect, test } from 'vitest';
import { parseYaml } from '../yaml/parse-yaml.ts';
import { credentialUses } from './credential-uses.ts';
import { readPipeline } from './read-pipeline.ts';

const YAML = `
resource_types: [{ name: t, type: base, source: { s: 1 } }]
resources: [{ name: r, type: t, source: { s: 2 }, webhook_token: hook }, { name: plain, type: t }]
jobs:
- name: j
  plan:
  - get: plain
  - get: r
    params: { not: asked }
  - try:
      task: inner
      vars: { v: 3 }
      file: r/task.yml
      on_failure: { put: r, params: { not: asked } }
  ensure:
    task: last
    params: { P: four }
    config: { platform: linux, rootfs_uri: x, run: { path: five } }
`;

test('[CFG-CREDS1] sources, webhook tokens and tasks anywhere in a plan use credentials', () => {
  const parsed = readPipeline(parseYaml(YAML));
  if (!parsed.ok) throw new Error(parsed.errors.join());
  expect(credentialUses(parsed.config)).toEqual([
    { s: 1 },
    { s: 2 },
    'hook',
    { v: 3 },
    { P: 'four' },
    expect.objectContaining({ run: { path: 'five' } }),
  ]);
});
