import { type ReadonlySignal, signal } from '@preact/signals';
import type { RoleName, SessionAnswer, UserAnswer } from '@seaplane/api/answers';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { Client, RefusedError } from '../api/client.ts';
import { SESSION } from '../api/first-requests.ts';
import { Live } from '../live/live.ts';

const ROLES: readonly RoleName[] = ['viewer', 'pipeline-operator', 'member', 'owner'];

/** The user of this page and the connection to the server. One for each page. */
export class Session {
  readonly client = new Client();
  /** The changes of everything that this page may show. */
  readonly live = new Live();
  readonly #user = signal<UserAnswer | null>(null);
  #clusterName: string | undefined;
  readonly #hasEnded = signal(false);

  readonly user: ReadonlySignal<UserAnswer | null> = this.#user;
  /** Whether the user was signed in when the page was opened, and no longer is. */
  readonly hasEnded: ReadonlySignal<boolean> = this.#hasEnded;

  /** `paths` are asked for ahead: those that the page needs and that need not wait for the session, and the session. */
  static async open(paths: readonly string[]): Promise<Session> {
    const session = new Session();
    const { client } = session;
    for (const path of paths) client.ask(path);
    const answer = await readSession(client);
    client.csrfToken = answer.csrf_token;
    session.#clusterName = answer.cluster_name;
    session.#user.value = answer.user;
    client.onSignedOut = () => {
      session.#hasEnded.value = session.#user.value !== null;
    };
    return session;
  }

  /** The name of the installation, which the operator chose. */
  get clusterName(): string {
    return this.#clusterName ?? 'Seaplane';
  }

  /** Why the user may not do something for which this role in the team is needed. Undefined if the user may. */
  whyNot(team: string, needed: RoleName): string | undefined {
    const user = this.#user.value;
    if (!user) return 'Sign in to do this';
    const roles = user.teams[team] ?? [];
    if (user.is_admin || atLeast(roles, needed)) return undefined;
    const [own] = roles;
    return `This needs the role ${needed} in the team ${team}. ${own ? `Your role is ${own}` : 'You have no role in it'}`;
  }

  /** Whether the user has at least this role in the team. The server decides again. */
  may(team: string, needed: RoleName): boolean {
    return this.whyNot(team, needed) === undefined;
  }
}

function atLeast(roles: readonly RoleName[], needed: RoleName): boolean {
  return roles.some((role) => ROLES.indexOf(role) >= ROLES.indexOf(needed));
}

/** An old cookie is refused once, and deleted by the answer. */
async function readSession(client: Client): Promise<SessionAnswer> {
  try {
    return await client.get(SESSION, { at: {} });
  } catch (error) {
    if (error instanceof RefusedError && error.status === 401) return client.get(SESSION, { at: {} });
    throw error;
  }
}

const SessionContext = createContext<Session | undefined>(undefined);
export const SessionProvider = SessionContext.Provider;

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('there is no session around this component');
  return session;
}
