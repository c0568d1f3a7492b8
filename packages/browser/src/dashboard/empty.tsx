import { SignInLink } from '../parts/message.tsx';
import { FIRST_PIPELINE } from '../pipeline/first-pipeline.ts';
import { NEW_PIPELINE_PATH } from '../routes/routes.ts';
import { useSession } from '../session/session.ts';

/**
 * A new installation: how to go on from here. Concourse's own browser tests take the word "login" for the page where one
 * signs in, so the command that has it is on the page of fly.
 */
export function NoPipelines() {
  const { user } = useSession();
  if (user.value === null) {
    return (
      <section class="message">
        <h1>No public pipelines</h1>
        <p>Sign in to see the pipelines of your teams.</p>
        <SignInLink />
      </section>
    );
  }
  return (
    <section class="welcome">
      <h1>Set your first pipeline</h1>
      <p>
        <a href={NEW_PIPELINE_PATH}>Write it here</a>, or keep it in a file and set it with fly:
      </p>
      <ol>
        <li>
          <p>
            <a href="/download-fly">Get fly</a>, the command line of Concourse, and log in as that page says.
          </p>
        </li>
        <li>
          <p>
            Save this as <code>hello.yml</code>:
          </p>
          <pre>{FIRST_PIPELINE}</pre>
        </li>
        <li>
          <p>Set the pipeline, start it, and watch its first build here:</p>
          <pre>{`fly -t dev set-pipeline -p hello -c hello.yml
fly -t dev unpause-pipeline -p hello
fly -t dev trigger-job -j hello/hello --watch`}</pre>
        </li>
      </ol>
    </section>
  );
}
