import { findPipeline, type Pipeline, unpausePipeline } from '@seaplane/db';
import type { TestApi } from './test-api.ts';

/** Saves a pipeline through the API, by default in team `team`, and unpauses it. */
export async function setPipeline(
  api: TestApi,
  name: string,
  yaml: string,
  { team = api.team, query = '' } = {},
): Promise<Pipeline> {
  const response = await api.request('PUT', `/api/v1/teams/${team.name}/pipelines/${name}/config${query}`, {
    as: 'admin',
    body: yaml,
    headers: { 'Content-Type': 'application/x-yaml' },
  });
  if (!response.ok) throw new Error(`cannot set pipeline ${name}: ${await response.text()}`);
  const vars = new URLSearchParams(query).get('vars');
  const pipeline = await findPipeline(api.pool, team.id, { name, ...(vars && { instanceVars: JSON.parse(vars) }) });
  if (!pipeline) throw new Error(`pipeline ${name} was saved and is not there`);
  await unpausePipeline(api.pool, pipeline.id);
  return pipeline;
}
