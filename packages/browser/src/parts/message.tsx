import type { ComponentChildren } from 'preact';
import type { RefusedError } from '../api/client.ts';
import { isUnreached } from '../live/reach.ts';
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

/** Says that the server does not answer, and how old the page is. It goes away when the server is back. */
export function LostBanner() {
  const since = useSession().client.reach.lostSince.value;
  if (!since) return null;
  return (
    <p class="banner lost" role="status">
      The server does not answer. This page is from{' '}
      <time dateTime={since.toISOString()}>{since.toLocaleTimeString()}</time>. The page goes on by itself when the
      server is back.
    </p>
  );
}

/** Says why what a page shows could not be read again. If the server does not answer at all, the whole page says so. */
export function Outdated({ error }: { error: RefusedError | undefined }) {
  if (!error || isUnreached(error.status)) return null;
  return (
    <p class="banner" role="status">
      {error.message} The page shows what was there before.
    </p>
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
