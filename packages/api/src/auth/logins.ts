import { recordLogin, saveAccessToken } from '@seaplane/db';
import type { ApiContext } from '../context.ts';
import { newAccessToken, tokenHash } from './access-token.ts';
import { type Claims, claimsToJson, displayName, localUserClaims } from './claims.ts';
import { FailedLogins, type LoginAttempt } from './failed-logins.ts';
import { findLocalUser, type LocalUsers } from './local-users.ts';
import { PasswordThreads } from './password-threads.ts';
import { tooManyLogins } from './too-many-logins.ts';

const TOKEN_LIFETIME_MS = 24 * 3_600_000;

export interface IssuedToken {
  readonly token: string;
  readonly lifetimeSeconds: number;
}

/** Logs users in by their passwords, for every client alike: one count of failed logins, one queue of comparisons. */
export class Logins {
  readonly #context: Pick<ApiContext, 'pool' | 'clock'>;
  readonly #failed: FailedLogins;
  readonly #users: LocalUsers;

  constructor(context: Pick<ApiContext, 'pool' | 'clock' | 'localUsers'>) {
    const threads = new PasswordThreads();
    this.#context = context;
    this.#failed = new FailedLogins(context.clock);
    this.#users = { users: context.localUsers, compare: threads.compare.bind(threads) };
  }

  /** Undefined if the name or the password is wrong. Throws `too-many-requests` after too many attempts. */
  async logIn(attempt: LoginAttempt & { readonly password: string }, client: string): Promise<IssuedToken | undefined> {
    const seconds = this.#failed.secondsToWait(attempt);
    if (seconds > 0) throw tooManyLogins('Too many failed logins with this name.', seconds);
    const user = await findLocalUser(this.#users, attempt.name, attempt.password);
    if (!user) {
      this.#failed.record(attempt);
      return undefined;
    }
    const { pool, clock } = this.#context;
    const claims = localUserClaims(user.name, client);
    const expiresAt = new Date(clock.now().getTime() + TOKEN_LIFETIME_MS);
    const token = await issueToken(pool, claims, expiresAt);
    await recordLogin(pool, { sub: claims.sub, username: displayName(claims), connector: claims.connector });
    return { token, lifetimeSeconds: TOKEN_LIFETIME_MS / 1000 };
  }
}

/** Makes a token with these claims. */
export async function issueToken(pool: ApiContext['pool'], claims: Claims, expiresAt: Date): Promise<string> {
  const token = newAccessToken(expiresAt);
  await saveAccessToken(pool, tokenHash(token), { claims: claimsToJson(claims), expiresAt });
  return token;
}
