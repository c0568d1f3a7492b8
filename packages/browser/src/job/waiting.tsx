import { type Polled, usePolled } from '../api/polled.ts';
import { jobPath, type PipelineRef, resourcePath } from '../routes/routes.ts';
import { useSession } from '../session/session.ts';
import { type Reason, reasonsToWait } from './reasons-to-wait.ts';

const PIPELINE = '/api/v1/teams/:team/pipelines/:pipeline';

interface WaitingProps {
  readonly of: PipelineRef;
  readonly job: string;
  /** The id of a pending build. Undefined: the next build of the job counts, if it is pending. */
  readonly build?: number;
}

/** Why a job does not run, or why its next build does not start, in words. Nothing if there is no reason. */
export function Waiting({ of, job, build }: WaitingProps) {
  const reasons = useReasons(of, job, build).loaded.value.value ?? [];
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

function useReasons(of: PipelineRef, name: string, build: number | undefined): Polled<readonly Reason[]> {
  const { client } = useSession();
  const { team, pipeline: pipelineName, vars: query } = of;
  return usePolled(JSON.stringify(['waiting', of, name, build]), async (signal) => {
    const call = { at: { team, pipeline: pipelineName }, query };
    const [pipeline, job, jobs, resources] = await Promise.all([
      client.get(`GET ${PIPELINE}`, call, signal),
      client.get(`GET ${PIPELINE}/jobs/:job`, { at: { ...call.at, job: name }, query }, signal),
      client.get(`GET ${PIPELINE}/jobs`, call, signal),
      client.get(`GET ${PIPELINE}/resources`, call, signal),
    ]);
    const next = job.next_build;
    const pending = build ?? (next?.status === 'pending' ? next.id : undefined);
    const preparation =
      pending === undefined
        ? undefined
        : await client.get('GET /api/v1/builds/:build/preparation', { at: { build: String(pending) } }, signal);
    return reasonsToWait({ pipeline, job, jobs, resources, preparation });
  });
}
