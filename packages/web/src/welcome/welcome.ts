import { ApiClient, type ApiLogin } from './api-client.ts';
import { type NextSteps, nextSteps } from './next-steps.ts';

export interface WelcomeParts extends NextSteps {
  readonly login: ApiLogin;
  /** The pipeline, as YAML. It has a job with the pipeline's name. */
  readonly example: string;
  readonly print: (text: string) => void;
  /** Called when the pipeline is set. */
  readonly onSet: () => Promise<void>;
}

const PIPELINE = 'hello';

/** Sets the example pipeline, runs its job, shows the build as it runs, and says what to do next. */
export async function welcome(parts: WelcomeParts, signal: AbortSignal): Promise<void> {
  const { login, example, print, onSet } = parts;
  const api = await ApiClient.login(login, signal);
  await api.setPipeline(PIPELINE, example);
  await onSet();
  print(`\nThe first build, of the pipeline ${PIPELINE} (examples/${PIPELINE}.yml):\n\n`);
  const buildId = await api.trigger(PIPELINE, PIPELINE);
  for await (const { event, data } of api.events(buildId)) {
    if (event === 'log' || event === 'error') print(indented(data.payload ?? `${data.message}\n`));
    if (event === 'status' && data.status !== 'started') print(`\nThe build ${data.status}.\n`);
  }
  print(nextSteps(parts));
}

function indented(text: string): string {
  return text.replace(/^(?=.)/gm, '  ');
}
