-- The keys that sign identity tokens. The newest of an algorithm signs; all of them are published until they are deleted.
CREATE TABLE identity_key (
  id text PRIMARY KEY,
  algorithm text NOT NULL CHECK (algorithm IN ('RS256', 'ES256')),
  public_jwk json NOT NULL,
  private_jwk json NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
