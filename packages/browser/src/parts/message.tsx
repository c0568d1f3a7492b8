import type { ComponentChildren } from 'preact';
import type { RefusedError } from '../api/client.ts';
import { signInPath } from '../routes/routes.ts';
import { useSession } from '../session/session.ts';

/** A page that has nothing else to show, and says why and how to go on. */
export function Message({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <section class="message">
      <h1>{title}</h1>
      {children}
    </section>
  );
}

/** A list or page that could not be loaded. */
export function Failed({ error }: { error: RefusedError }) {
  const { user } = useSession();
  if (error.status === 401 || (error.status === 404 && user.value === null)) {
    return (
      <Message title="Sign in to see this">
        <p>This page is for members of its team.</p>
        <SignInLink />
      </Message>
    );
  }
  return (
    <Message title={error.status === 404 ? 'Not found' : 'This page could not be loaded'}>
      <p>{error.message}</p>
      <p>
        <a href="/">Go to all pipelines</a>
      </p>
    </Message>
  );
}

export function SignInLink() {
  const address = location.pathname + location.search + location.hash;
  return (
    <a class="button primary" href={signInPath(address)}>
      Sign in
    </a>
  );
}

export function Loading() {
  return <p class="loading">Loading ...</p>;
}
