import { SearchBox } from '../dashboard/search-box.tsx';

interface JobSearchProps {
  readonly search: string;
  readonly onSearch: (search: string) => void;
  /** How many jobs are found, if somebody searches. */
  readonly found: number | undefined;
  readonly jobs: number;
}

/** The search over the jobs of a graph. Enter goes to the first that is found: another Enter opens it. */
export function JobSearch({ search, onSearch, found, jobs }: JobSearchProps) {
  return (
    <>
      <SearchBox of="jobs" {...{ search, onSearch }} onEnter={goToFirst} />
      <p class="found-count number" role="status">
        {found !== undefined &&
          `${found.toLocaleString()} of ${jobs === 1 ? '1 job' : `${jobs.toLocaleString()} jobs`}`}
      </p>
    </>
  );
}

function goToFirst(): void {
  const first = document.querySelector<SVGAElement>('.graph .found');
  first?.scrollIntoView({ block: 'center', inline: 'center' });
  first?.focus({ preventScroll: true });
}
