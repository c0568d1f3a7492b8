import {
  createCheckBuild,
  createUploadedArtifact,
  findResource,
  finishBuild,
  registerComponent,
  reportWorker,
} from '@seaplane/db';
import { publishArtifact } from '@seaplane/db/testing';
import { makeSandbox } from './make-sandbox.ts';
import { createBuild, finishedBuild, PLAN, PUBLIC_PLAN } from './run-build.ts';
import { saveVersions } from './save-versions.ts';
import { setPipeline } from './set-pipeline.ts';
import { createTestApi, type TestApi } from './test-api.ts';

const YAML = `
resource_types: [{ name: t, type: base, source: { key: x } }]
prototypes: [{ name: proto, type: base }]
resources: [{ name: r, type: t, icon: git, source: { uri: x }, webhook_token: secret }]
groups: [{ name: g, jobs: [j, next] }]
jobs:
- { name: j, plan: [{ get: r, trigger: true }, { put: out, resource: r }] }
- name: next
  disable_manual_trigger: true
  disable_reruns: true
  plan: [{ get: in, resource: r, passed: [j], params: { depth: 1 }, tags: [a] }]
`;
/** The pipeline is an instance. */
export const VARS = { branch: 'main' };
export const QUERY = '?vars.branch=%22main%22';

/** An API that starts checks and takes uploads. */
export async function createAnsweringApi(): Promise<TestApi> {
  const api: TestApi = await createTestApi({
    checks: {
      async start(of) {
        const check = { plan: PLAN, publicPlan: PUBLIC_PLAN, manuallyTriggered: true };
        const build = await createCheckBuild(api.pool, of, check);
        if (!build) throw new Error('no build was made');
        return build;
      },
    },
    artifacts: {
      upload: ({ teamId }) => createUploadedArtifact(api.pool, { teamId, name: 'upload', artifactId: 'a' }),
      download: () => Promise.reject(new Error('not expected in this test')),
    },
  });
  return api;
}

export type Everything = Awaited<ReturnType<typeof makeEverything>>;

/** One of everything that an answer can show, with as many of its optional fields as possible. */
export async function makeEverything(api: TestApi) {
  const { pool } = api;
  const { id: pipelineId } = await setPipeline(api, 'p', YAML, { query: '?vars={"branch":"main"}' });
  const [versionId = 0] = await saveVersions(api, pipelineId, 'r', [{ ref: 'a' }]);
  const finished = await finishedBuild(api, pipelineId, 'j');
  const pending = await createBuild(api, pipelineId, 'next');
  const resource = await findResource(pool, pipelineId, 'r');
  const check = await api.context.checks.start({ resourceId: resource?.id ?? 0 }, { shallow: false });
  await finishBuild(pool, check.id, 'succeeded');
  await pool.query('UPDATE resource_scope SET last_check_build_id = $1, last_check_ended_at = now()', [check.id]);
  const version = `FROM build b, resource r, resource_version v WHERE b.id = ${finished} AND r.name = 'r'`;
  await pool.query(
    `INSERT INTO build_input (build_id, name, resource_id, version, version_digest, first_occurrence, job_id)
     SELECT b.id, 'in', r.id, v.version, v.digest, true, b.job_id ${version}`,
  );
  await pool.query(
    `INSERT INTO build_output (build_id, name, resource_id, version, version_digest)
     SELECT b.id, 'out', r.id, '{"ref":"b"}', 'b' ${version}`,
  );
  await pool.query(
    `INSERT INTO next_build_input (job_id, input_name, resource_id, version_digest, first_occurrence)
     SELECT j.id, 'in', r.id, v.digest, true FROM job j, resource r, resource_version v
     WHERE j.name = 'next' AND r.name = 'r'`,
  );
  await pool.query("UPDATE job SET inputs_determined = true, has_new_inputs = name = 'j'");
  await pool.query("INSERT INTO artifact (id, worker_name) VALUES ('a', 'w')");
  await publishArtifact(pool, finished, 'made', 'a');
  await makeSandbox(api, { handle: 'sandbox', buildId: finished, attempt: '1.2' });
  await reportWorker(pool, { ...WORKER, entry: '', ttlMs: 600_000 });
  await registerComponent(pool, 'scheduler', 10_000);
  const P = '/api/v1/teams/team/pipelines/p';
  for (const [path, body] of [
    [`/api/v1/builds/${finished}/comment`, { comment: 'remark' }],
    [`${P}/jobs/j/pause${QUERY}`],
    [`${P}/pause${QUERY}`],
    [`${P}/resources/r/versions/${versionId}/pin${QUERY}`],
    [`${P}/resources/r/pin_comment${QUERY}`, { pin_comment: 'why' }],
    ['/api/v1/wall', { message: 'hello', TTL: 60_000_000_000 }],
  ] as const) {
    const { status } = await api.put(path, 'admin', body);
    if (status !== 200) throw new Error(`PUT ${path} -> ${status}`);
  }
  return { pipelineId, versionId, finished, pending, check: check.id };
}

const WORKER = {
  name: 'worker',
  platform: 'linux',
  tags: ['a'],
  version: '2.5',
  baseTypes: [],
  problems: ['slow'],
  usable: true,
};
