import type { UserAnswer } from './info.ts';
import type { UnixSeconds } from './unix-seconds.ts';

/** The session of the browser that asks. */
export interface SessionAnswer {
  /** Null if nobody is signed in. */
  readonly user: UserAnswer | null;
  /** When the user has to sign in again. */
  readonly expires_at?: UnixSeconds;
  /** The text that the header `X-Csrf-Token` of every change must repeat. Only for a session with cookies. */
  readonly csrf_token?: string;
  /** The name that the operator gave this installation. Also for those who are not signed in. */
  readonly cluster_name?: string;
}

/** A token for fly, as fly takes it: `bearer TOKEN`. */
export interface FlyTokenAnswer {
  readonly token: string;
}
