import { useState } from 'preact/hooks';
import { usePolled } from '../api/polled.ts';
import { Ago } from '../parts/clock.tsx';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { Failed, Loading, Message, Outdated } from '../parts/message.tsx';
import { StatusMark } from '../parts/status-mark.tsx';
import { useTitle } from '../parts/title.ts';
import { useSession } from '../session/session.ts';
import { viewWorkers, type WorkerView } from './worker-advice.ts';

type Verb = 'land' | 'retire' | 'prune';

const BACK = 'until its entry in the targets file changes, or web starts again if it has no entry.';
const ACTIONS: Readonly<Record<Verb, { readonly title: string; readonly effect: string; readonly result: string }>> = {
  land: {
    title: 'Land',
    effect: `The worker takes no new steps, and steps that run go on. It stays landed ${BACK}`,
    result: 'The worker lands.',
  },
  retire: {
    title: 'Retire',
    effect: `The worker takes no new steps. When those that run have ended, everything that was made on it is removed, and it is gone ${BACK}`,
    result: 'The worker retires.',
  },
  prune: {
    title: 'Prune',
    effect: `The worker is forgotten ${BACK} What was made on it is removed when it answers.`,
    result: 'The worker is forgotten.',
  },
};

/** The places where steps run: how they are, what is wrong with them, and what to do. */
export function WorkersPage() {
  const { client } = useSession();
  const polled = usePolled('workers', (signal) => client.get('GET /api/v1/workers', { at: {} }, signal), {
    isAbout: ({ workers }) => workers === true,
    isMoving: () => true, // nobody announces how many steps run
  });
  const [asked, setAsked] = useState<{ readonly name: string; readonly verb: Verb }>();
  useTitle('Workers');
  const { value, error } = polled.loaded.value;
  if (!value) return error ? <Failed error={error} /> : <Loading />;
  if (value.length === 0) {
    return (
      <Message title="No workers">
        <p>
          Steps have nowhere to run. Start web without --targets to use this machine, or name a cluster in the targets
          file.
        </p>
      </Message>
    );
  }
  const views = viewWorkers(value);
  const ill = views.filter(({ isWell }) => !isWell).length;
  return (
    <>
      <h1 class="page-title">Workers</h1>
      <Outdated error={error} />
      <p class="counts" aria-live="polite">
        {value.length === 1 ? '1 worker' : `${value.length} workers`} ·{' '}
        {ill === 0 ? 'all well' : `${ill} with problems`}
      </p>
      <ul class="workers">
        {views.map((view) => (
          <Worker key={view.worker.name} view={view} onAct={(verb) => setAsked({ name: view.worker.name, verb })} />
        ))}
      </ul>
      {asked && <ActDialog {...asked} onDone={() => polled.refresh()} onClose={() => setAsked(undefined)} />}
    </>
  );
}

/** When a worker goes, the next one takes its place under the pointer. So nothing is done without a question. */
function ActDialog(props: { name: string; verb: Verb; onDone: () => void; onClose: () => void }) {
  const { name, verb, onDone, onClose } = props;
  const { client } = useSession();
  const { title, effect, result } = ACTIONS[verb];
  return (
    <ConfirmDialog
      title={`${title} ${name}`}
      verb={title}
      onClose={onClose}
      onConfirm={async () => {
        await client.put(`PUT /api/v1/workers/:worker/${verb}`, { at: { worker: name } });
        onDone();
        return result;
      }}
    >
      <p>{effect}</p>
    </ConfirmDialog>
  );
}

function Worker({ view, onAct }: { view: WorkerView; onAct: (verb: Verb) => void }) {
  const { worker, isWell, problems, advice, mayPrune } = view;
  const session = useSession();
  const mayAct = worker.team === '' ? session.user.value?.is_admin === true : session.may(worker.team, 'member');
  const reason = mayAct ? undefined : 'Your role does not allow this';
  const mark = isWell
    ? 'succeeded'
    : worker.state === 'running'
      ? 'errored'
      : worker.state === 'stalled'
        ? 'failed'
        : 'paused';
  return (
    <li class="worker" data-worker-name={worker.name}>
      <header>
        <StatusMark mark={mark} label={isWell ? 'well' : worker.state} />
        <h2>{worker.name}</h2>
        <span class="tag">{worker.state}</span>
        {worker.team !== '' && <span class="tag">team {worker.team}</span>}
        {worker.tags.map((tag) => (
          <span key={tag} class="tag">
            {tag}
          </span>
        ))}
        <span class="worker-actions">
          {worker.state === 'running' && (
            <>
              <button
                type="button"
                disabled={!mayAct}
                title={reason ?? 'Take no new steps, and keep the worker'}
                onClick={() => onAct('land')}
              >
                Land
              </button>
              <button
                type="button"
                disabled={!mayAct}
                title={reason ?? 'Take no new steps, and forget the worker'}
                onClick={() => onAct('retire')}
              >
                Retire
              </button>
            </>
          )}
          {mayPrune && (
            <button
              type="button"
              disabled={!mayAct}
              title={reason ?? 'Forget the worker'}
              onClick={() => onAct('prune')}
            >
              Prune
            </button>
          )}
        </span>
      </header>
      <dl>
        <Figure name="steps and checks" value={worker.active_containers} />
        <Figure name="tasks" value={worker.active_tasks} />
        <Figure name="artifacts" value={worker.active_volumes} />
        <div>
          <dt>platform</dt>
          <dd>{worker.platform}</dd>
        </div>
        <div>
          <dt>version</dt>
          <dd>{worker.version}</dd>
        </div>
        <div>
          <dt>known since</dt>
          <dd>
            <Ago at={worker.start_time} />
          </dd>
        </div>
      </dl>
      {problems.map((text) => (
        <p key={text} class="step-error">
          {text}
        </p>
      ))}
      {advice !== undefined && <p class="step-note">{advice}</p>}
    </li>
  );
}

function Figure({ name, value }: { name: string; value: number }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class="number">{value.toLocaleString()}</dd>
    </div>
  );
}
