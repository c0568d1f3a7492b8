import { SignInLink } from '../parts/message.tsx';
import { useSession } from '../session/session.ts';

const PIPELINE = `jobs:
- name: hello
  plan:
  - task: greet
    config:
      platform: linux
      image_resource:
        type: registry-image
        source: {repository: busybox}
      run: {path: echo, args: [hello, world]}`;

/** A new installation: how to go on from here. */
export function NoPipelines() {
  const { user } = useSession();
  const url = location.origin;
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
      <ol>
        <li>
          <p>
            Get <code>fly</code>, the command line of Concourse, and log in:
          </p>
          <pre>{`fly -t dev login -c ${url}`}</pre>
        </li>
        <li>
          <p>
            Save this as <code>hello.yml</code>:
          </p>
          <pre>{PIPELINE}</pre>
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
