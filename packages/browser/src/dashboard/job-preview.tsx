import type { JobAnswer, JobSummaryAnswer } from '@seaplane/api/answers';
import { type Mark, StatusMark, wordFor } from '../parts/status-mark.tsx';
import { buildPath, jobPath, type PipelineRef } from '../routes/routes.ts';
import { columnsOf } from './pipeline-status.ts';

type JobState = Pick<JobSummaryAnswer | JobAnswer, 'paused' | 'next_build' | 'finished_build'>;

/** The status that a job shows: paused, or that of its running, its last or its first build. */
export function markOf({ paused, next_build: next, finished_build: finished }: JobState): Mark {
  if (next?.status === 'started') return 'started';
  if (paused) return 'paused';
  return finished?.status ?? next?.status ?? 'none';
}

/** The jobs of a pipeline as marks, in the columns of its graph. Each leads to the newest build. */
export function JobPreview({ jobs, of }: { jobs: readonly JobSummaryAnswer[]; of: PipelineRef }) {
  if (jobs.length === 0) return <div class="preview empty">no jobs</div>;
  return (
    <div class="preview">
      {columnsOf(jobs).map((column) => (
        <div class="preview-column" key={column[0]?.id}>
          {column.map((job) => (
            <JobCell key={job.id} job={job} of={of} />
          ))}
        </div>
      ))}
    </div>
  );
}

function JobCell({ job, of }: { job: JobSummaryAnswer; of: PipelineRef }) {
  const build = job.next_build ?? job.finished_build;
  const mark = markOf(job);
  const label = `${job.name}: ${wordFor(mark)}${build ? `, build ${build.name}` : ''}`;
  const href = build ? buildPath(of, job.name, build.name) : jobPath(of, job.name);
  return (
    <a class={`job-cell job-${mark}`} href={href} title={label}>
      <StatusMark mark={mark} label={label} />
    </a>
  );
}
