import type { BuildPreparationAnswer } from '@seaplane/api/answers';
import { StatusMark } from '../parts/status-mark.tsx';

/** Why a pending build has not started yet. */
export function Preparation({ preparation }: { preparation: BuildPreparationAnswer }) {
  const { inputs, missing_input_reasons: reasons } = preparation;
  const rows: (readonly [text: string, state: string])[] = [
    ['the pipeline is not paused', preparation.paused_pipeline],
    ['the job is not paused', preparation.paused_job],
    ['not too many builds of the job are running', preparation.max_running_builds],
    ...Object.entries(inputs).map(
      ([name, state]) => [`input ${name} has a version${reasons[name] ? ` (${reasons[name]})` : ''}`, state] as const,
    ),
    ['the versions of all inputs fit together', preparation.inputs_satisfied],
  ];
  return (
    <section class="preparation">
      <h2>This build waits until</h2>
      <ul>
        {rows.map(([text, state]) => (
          <li key={text}>
            <StatusMark
              mark={state === 'not_blocking' ? 'succeeded' : state === 'blocking' ? 'started' : 'pending'}
              label={state === 'not_blocking' ? 'yes' : 'not yet'}
            />
            <span>{text}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
