import { useModal } from './use-modal.ts';

const KEYS: readonly (readonly [keys: string, does: string])[] = [
  ['/', 'search pipelines, jobs of a pipeline, or logs of a build'],
  ['Esc', 'leave the search'],
  ['Enter', 'in the search of jobs: go to the first that is found'],
  ['Ctrl K', 'go to a pipeline, a job, a build or a page'],
  ['gp ga gw', 'pipelines, activity, workers'],
  ['+ - 0', 'zoom a pipeline in, out, to 100 %; Ctrl and the wheel, too'],
  ['f', 'fit a pipeline to the window'],
  ['?', 'this help'],
  ['h l', 'newer, older build'],
  ['j k', 'scroll the build down, up'],
  ['T', 'trigger the job'],
  ['R', 'rerun the build'],
  ['A', 'abort the build'],
  ['n N', 'next, previous hit'],
  ['e', 'next step that went wrong'],
  ['o O', 'open, close all steps'],
  ['gg G', 'top, end of the page'],
];

const SEARCHES: readonly (readonly [search: string, finds: string])[] = [
  ['web', 'names with these letters in this order'],
  ['"web"', 'exactly this name'],
  ['"we', 'names that begin so'],
  ['team:main', 'pipelines of a team'],
  ['group:release', 'instances of a pipeline; on a pipeline, jobs of a group'],
  ['status:failed', 'paused, pending, failed, errored, aborted, running, succeeded'],
  ['-status:paused', 'a minus turns a term around'],
];

/** The keys and the search, in a dialog that Esc closes. */
export function HelpDialog({ onClose }: { onClose: () => void }) {
  const dialog = useModal();
  return (
    <dialog ref={dialog} class="help" onClose={onClose} aria-label="Keys and search">
      <form method="dialog">
        <button type="submit" class="quiet close">
          Close
        </button>
      </form>
      <h2>Keys</h2>
      <Rows rows={KEYS} />
      <h2>Search</h2>
      <Rows rows={SEARCHES} />
    </dialog>
  );
}

function Rows({ rows }: { rows: readonly (readonly [string, string])[] }) {
  return (
    <dl class="key-rows">
      {rows.map(([key, text]) => (
        <div key={key}>
          <dt>
            <kbd>{key}</kbd>
          </dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}
