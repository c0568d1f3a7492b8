-- Names a JSON value by its contents: equal values have equal digests, whatever the order of their keys.
-- jsonb's own text is canonical. 128 bits are enough to tell values apart, and half as long.
CREATE FUNCTION json_digest(value jsonb) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN left(encode(sha256(convert_to(value::text, 'UTF8')), 'hex'), 32);

CREATE TABLE team (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL,
  -- The owners of an admin team administer the whole installation.
  admin boolean NOT NULL DEFAULT false,
  -- role -> { users: [], groups: [] }
  auth jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX team_name ON team (lower(name));

-- A token is known by its hash alone, so that reading the database logs nobody in.
CREATE TABLE access_token (
  hash text PRIMARY KEY,
  claims jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL
);
CREATE INDEX access_token_expires_at ON access_token (expires_at);

-- Who has ever logged in, for `fly active-users`.
CREATE TABLE account (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  sub text NOT NULL UNIQUE,
  username text NOT NULL,
  connector text NOT NULL,
  last_login_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX account_last_login_at ON account (last_login_at);

-- One message to everybody, at most.
CREATE TABLE wall (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  message text NOT NULL,
  expires_at timestamptz
);

-- The loops that run in every web; a row is made when one first runs.
CREATE TABLE component (
  name text PRIMARY KEY,
  interval_ms bigint NOT NULL,
  paused boolean NOT NULL DEFAULT false,
  last_ran_at timestamptz
);
