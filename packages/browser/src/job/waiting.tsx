import { type Polled, usePolled } from '../api/polled.ts';
import { jobPath, type PipelineRef, resourcePath } from '../routes/routes.ts';
import { useSession } from '../session/session.ts';
import { type Reason, reasonsToWait } from './reasons-to-wait.ts';

const PIPELINE = '/api/v1/teams/:team/pipelines/:pipeline';

/** Why a job does not run, or why its next build does not start, in words. Nothing if there is no reason. */
export function Waiting({ of, job }: { of: PipelineRef; job: string }) {
  const reasons = useReasons(of, job).loaded.value.value ?? [];
  if (reasons.length === 0) return null;
  return (
    <section class="preparation waiting">
      <h2>Why it does not run</h2>
      <ul>
        {reasons.map(({ text, resource, job: before }) => (
          <li key={text}>
            {text}
            {resource !== undefined && (
              <>
                {' '}
                <a href={resourcePath(of, resource)}>Look at {resource}</a>
              </>
            )}
            {before !== undefined && (
              <>
                {' '}
                <a href={jobPath(of, before)}>Look at {before}</a>
              </>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function useReasons(of: PipelineRef, name: string): Polled<readonly Reason[]> {
  const { client } = useSession();
  const { team, pipeline: pipelineName, vars: query } = of;
  return usePolled(JSON.stringify(['waiting', of, name]), async (signal) => {
    const call = { at: { team, pipeline: pipelineName }, query };
    const [pipeline, job, jobs, resources] = await Promise.all([
      client.get(`GET ${PIPELINE}`, call, signal),
      client.get(`GET ${PIPELINE}/jobs/:job`, { at: { ...call.at, job: name }, query }, signal),
      client.get(`GET ${PIPELINE}/jobs`, call, signal),
      client.get(`GET ${PIPELINE}/resources`, call, signal),
    ]);
    const next = job.next_build;
    const preparation =
      next?.status === 'pending'
        ? await client.get('GET /api/v1/builds/:build/preparation', { at: { build: String(next.id) } }, signal)
        : undefined;
    return reasonsToWait({ pipeline, job, jobs, resources, preparation });
  });
}
