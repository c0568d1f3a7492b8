import type { BuildAnswer } from '@seaplane/api/answers';
import { usePolled } from '../api/polled.ts';
import { StatusMark, wordFor } from '../parts/status-mark.tsx';
import { buildPath, jobPath, type PipelineRef } from '../routes/routes.ts';
import { useSession } from '../session/session.ts';

interface VersionBuildsProps {
  readonly of: PipelineRef;
  readonly resource: string;
  readonly version: number;
}

const VERSION = '/api/v1/teams/:team/pipelines/:pipeline/resources/:resource/versions/:version';

/** The builds that got a version, and those that put it. */
export function VersionBuilds({ of, resource, version }: VersionBuildsProps) {
  const { client } = useSession();
  const polled = usePolled(JSON.stringify([of, resource, version]), async (signal) => {
    const call = {
      at: { team: of.team, pipeline: of.pipeline, resource, version: String(version) },
      query: of.vars,
    };
    const [inputTo, outputOf] = await Promise.all([
      client.get(`GET ${VERSION}/input_to`, call, signal),
      client.get(`GET ${VERSION}/output_of`, call, signal),
    ]);
    return { inputTo, outputOf };
  });
  const { value, error } = polled.loaded.value;
  if (!value) return <p class="step-note">{error ? error.message : 'Loading ...'}</p>;
  return (
    <div class="version-builds">
      <Builds title="Inputs to" builds={value.inputTo} of={of} />
      <Builds title="Outputs of" builds={value.outputOf} of={of} />
    </div>
  );
}

function Builds({ title, builds, of }: { title: string; builds: readonly BuildAnswer[]; of: PipelineRef }) {
  const byJob = [...Map.groupBy(builds, ({ job_name: job }) => job ?? '')];
  return (
    <section>
      <h2>{title}</h2>
      {byJob.length === 0 && <p class="soft">no build</p>}
      <ul>
        {byJob.map(([job, own]) => (
          <li key={job}>
            <a href={jobPath(of, job)}>{job}</a>
            <span>
              {own.map(({ id, name, status }) => (
                <a
                  key={id}
                  class="build-link"
                  href={buildPath(of, job, name)}
                  title={`${job} #${name}: ${wordFor(status)}`}
                >
                  <StatusMark mark={status} /> <span class="number">#{name}</span>
                </a>
              ))}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
