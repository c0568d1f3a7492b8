import { useState } from 'preact/hooks';
import { usePolled } from '../api/polled.ts';
import { Ago } from '../parts/clock.tsx';
import { Failed, Loading, Message, Outdated } from '../parts/message.tsx';
import { StatusMark } from '../parts/status-mark.tsx';
import { useTitle } from '../parts/title.ts';
import { useSession } from '../session/session.ts';
import { viewWorkers, type WorkerView } from './worker-advice.ts';

type Verb = 'land' | 'retire' | 'prune';

/** The places where steps run: how they are, what is wrong with them, and what to do. */
export function WorkersPage() {
  const { client } = useSession();
  const polled = usePolled('workers', (signal) => client.get('GET /api/v1/workers', { at: {} }, signal), {
    isAbout: ({ workers }) => workers === true,
    isMoving: () => true, // nobody announces how many steps run
  });
  const [problem, setProblem] = useState<string>();
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
  const act = async (name: string, verb: Verb) => {
    setProblem(undefined);
    try {
      await client.put(`PUT /api/v1/workers/:worker/${verb}`, { at: { worker: name } });
      polled.refresh();
    } catch (failure) {
      setProblem((failure as Error).message);
    }
  };
  return (
    <>
      <h1 class="page-title">Workers</h1>
      <Outdated error={error} />
      <p class="counts" aria-live="polite">
        {value.length === 1 ? '1 worker' : `${value.length} workers`} ·{' '}
        {ill === 0 ? 'all well' : `${ill} with problems`}
      </p>
      {problem !== undefined && (
        <p class="banner" role="alert">
          {problem}
        </p>
      )}
      <ul class="workers">
        {views.map((view) => (
          <Worker key={view.worker.name} view={view} onAct={(verb) => void act(view.worker.name, verb)} />
        ))}
      </ul>
    </>
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
