import type { JobSummaryAnswer, ResourceAnswer } from '@seaplane/api/answers';
import { useState } from 'preact/hooks';
import { markOf } from '../dashboard/job-preview.tsx';
import { Ago } from '../parts/clock.tsx';
import { Icon } from '../parts/icons.tsx';
import { ResourceIcon } from '../parts/resource-icon.tsx';
import { StatusMark, wordFor } from '../parts/status-mark.tsx';
import { Table } from '../parts/table.tsx';
import { versionText } from '../resource/versions.ts';
import { buildPath, jobPath, type PipelineRef, resourcePath } from '../routes/routes.ts';
import type { ReachedJob } from './follow.ts';

/** A longer table takes longer to draw than everything else on the page. */
const FIRST_JOBS = 100;

interface JobTableProps {
  readonly jobs: readonly JobSummaryAnswer[];
  readonly of: PipelineRef;
  /** The jobs that the followed version has reached, if one is followed. */
  readonly reached: ReadonlyMap<string, ReachedJob> | undefined;
}

/** The jobs of the graph, for those who do not see it. */
export function JobTable({ jobs, of, reached }: JobTableProps) {
  const [showsAll, setShowsAll] = useState(false);
  const shown = showsAll ? jobs : jobs.slice(0, FIRST_JOBS);
  return (
    <>
      <Table columns={['Job', 'Status', 'Newest build', 'Ended', ...(reached ? ['This version'] : [])]}>
        {shown.map((job) => {
          const build = job.next_build ?? job.finished_build;
          return (
            <tr key={job.id}>
              <td>
                <a href={jobPath(of, job.name)}>{job.name}</a>
              </td>
              <td class="status-cell">
                <StatusMark mark={markOf(job)} /> {wordFor(markOf(job))}
                {job.has_new_inputs ? ', new inputs' : ''}
              </td>
              <td>{build && <a href={buildPath(of, job.name, build.name)}>#{build.name}</a>}</td>
              <td>{job.finished_build?.end_time !== undefined && <Ago at={job.finished_build.end_time} />}</td>
              {reached && (
                <td class="status-cell">
                  <Reached of={of} job={job.name} reached={reached.get(job.name)} />
                </td>
              )}
            </tr>
          );
        })}
      </Table>
      {shown.length < jobs.length && (
        <p class="table-more">
          <button type="button" onClick={() => setShowsAll(true)}>
            Show all {jobs.length.toLocaleString()} jobs
          </button>
        </p>
      )}
    </>
  );
}

function Reached({ of, job, reached }: { of: PipelineRef; job: string; reached: ReachedJob | undefined }) {
  if (!reached) return <span class="soft">not reached yet</span>;
  return (
    <>
      <StatusMark mark={reached.status} /> {wordFor(reached.status)} in{' '}
      <a href={buildPath(of, job, reached.build)}>#{reached.build}</a>
    </>
  );
}

/** The resources of a pipeline, with their last checks and pins. */
export function ResourceTable({ resources, of }: { resources: readonly ResourceAnswer[]; of: PipelineRef }) {
  return (
    <Table id="resources" columns={['Resource', 'Type', 'Last check', 'Pinned']}>
      {resources.map((resource) => (
        <tr key={resource.name}>
          <td>
            <ResourceIcon icon={resource.icon} />
            <a href={resourcePath(of, resource.name)}>{resource.name}</a>
          </td>
          <td>{resource.type}</td>
          <td class="status-cell">
            {resource.build && <StatusMark mark={resource.build.status} />}{' '}
            {resource.last_checked === undefined ? 'never' : <Ago at={resource.last_checked} />}
          </td>
          <td class="pinned-cell">
            {resource.pinned_version && (
              <>
                <Icon name="pin" isFilled={true} /> {versionText(resource.pinned_version)}
              </>
            )}
          </td>
        </tr>
      ))}
    </Table>
  );
}
