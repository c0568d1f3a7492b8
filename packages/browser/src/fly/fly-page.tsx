import { useEffect, useState } from 'preact/hooks';
import { Message, SignInLink } from '../parts/message.tsx';
import { useTitle } from '../parts/title.ts';
import { type Session, useSession } from '../session/session.ts';

type HandOver =
  | { readonly state: 'asking' }
  | { readonly state: 'sent' }
  /** fly could not be reached by a script, or there is no port. The user can still bring the token. */
  | { readonly state: 'by-hand'; readonly token: string }
  | { readonly state: 'failed'; readonly reason: string };

/** The end of `fly login` in a browser: fly gets a token of its own. */
export function FlyPage({ port, isDone }: { port: string | undefined; isDone: boolean }) {
  const session = useSession();
  const [handOver, setHandOver] = useState<HandOver>({ state: 'asking' });
  useTitle('fly login');
  useEffect(() => {
    if (!isDone && session.user.value) void giveToken(session, port).then(setHandOver);
  }, [session, port, isDone]);
  if (isDone || handOver.state === 'sent') {
    return (
      <Message title="fly is logged in">
        <p>It is done: your token has been transferred. You can close this page and go back to the terminal.</p>
        <p>
          <a href="/">Go to all pipelines</a>
        </p>
      </Message>
    );
  }
  if (session.user.value === null) {
    return (
      <Message title="Sign in first">
        <p>fly gets a token after you sign in.</p>
        <SignInLink />
      </Message>
    );
  }
  switch (handOver.state) {
    case 'asking':
      return <Message title="Handing a token to fly ..." />;
    case 'failed':
      return (
        <Message title="fly did not get a token">
          <p>{handOver.reason}</p>
        </Message>
      );
    case 'by-hand':
      return <ByHand token={handOver.token} port={port} />;
  }
}

/** A browser may keep scripts from this machine's own addresses. A link that the user follows is allowed. */
function ByHand({ token, port }: { token: string; port: string | undefined }) {
  const [isCopied, setCopied] = useState(false);
  return (
    <Message title="One more step">
      {port !== undefined && (
        <>
          <p>The browser did not let this page talk to fly. Send the token with this button:</p>
          <p>
            <a class="button primary" href={flyAddress(port, token)}>
              Send the token to fly
            </a>
          </p>
        </>
      )}
      <p>{port === undefined ? 'Copy the token and paste it into the terminal.' : 'Or copy it into the terminal:'}</p>
      <p>
        <button
          type="button"
          onClick={() => void navigator.clipboard.writeText(token).then(() => setCopied(true))}
          aria-live="polite"
        >
          {isCopied ? 'Copied' : 'Copy the token'}
        </button>
      </p>
    </Message>
  );
}

async function giveToken({ client }: Session, port: string | undefined): Promise<HandOver> {
  let token: string;
  try {
    token = (await client.post('POST /api/v1/seaplane/fly-token', { at: {} })).token;
  } catch (error) {
    return { state: 'failed', reason: (error as Error).message };
  }
  if (port === undefined) return { state: 'by-hand', token };
  try {
    const answer = await fetch(flyAddress(port, token));
    return answer.ok ? { state: 'sent' } : { state: 'by-hand', token };
  } catch {
    return { state: 'by-hand', token };
  }
}

function flyAddress(port: string, token: string): string {
  return `http://127.0.0.1:${port}/?token=${encodeURIComponent(token)}`;
}
