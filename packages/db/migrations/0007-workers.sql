CREATE TABLE worker (
  name text PRIMARY KEY,
  state text NOT NULL CHECK (state IN ('running', 'stalled', 'landing', 'landed', 'retiring')),
  platform text NOT NULL,
  tags text[] NOT NULL DEFAULT '{}',
  -- NULL: for every team.
  team_id integer REFERENCES team ON DELETE CASCADE,
  version text NOT NULL,
  ephemeral boolean NOT NULL DEFAULT false,
  -- [{ type, image, version, privileged, unique_version_history }]
  base_types json NOT NULL DEFAULT '[]',
  -- In words: what its last health check found wrong.
  problems text[] NOT NULL DEFAULT '{}',
  started_at timestamptz NOT NULL DEFAULT now(),
  last_seen_at timestamptz NOT NULL DEFAULT now(),
  -- Without a sign of life until then it is stalled. NULL: never.
  expires_at timestamptz
);
CREATE INDEX worker_expires_at ON worker (expires_at) WHERE state = 'running';

-- A step's pod, or whatever else it runs in: Concourse's container.
CREATE TABLE sandbox (
  handle text PRIMARY KEY,
  -- Not a reference: what a worker that is gone has left is still to be told.
  worker_name text NOT NULL,
  state text NOT NULL CHECK (state IN ('creating', 'created', 'failed', 'destroying')),
  -- Why it failed.
  reason text,
  team_id integer REFERENCES team ON DELETE CASCADE,
  -- The step that owns it. NULL: checks share it, or its build is gone.
  build_id bigint REFERENCES build ON DELETE SET NULL,
  plan_id text,
  -- Many checks run in it: it lives until it was not used for a while.
  shared boolean NOT NULL DEFAULT false,
  type text NOT NULL CHECK (type IN ('check', 'get', 'put', 'task', 'run')),
  step_name text NOT NULL,
  attempt text NOT NULL DEFAULT '',
  working_directory text NOT NULL DEFAULT '',
  username text NOT NULL DEFAULT '',
  -- As it was labelled: team, pipeline, job and build by name.
  labels json NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz NOT NULL DEFAULT now(),
  last_hijacked_at timestamptz,
  -- Its worker does not know it since then.
  missing_since timestamptz
);
CREATE INDEX sandbox_worker ON sandbox (worker_name, state);
CREATE INDEX sandbox_build ON sandbox (build_id);
CREATE INDEX sandbox_team ON sandbox (team_id);

-- What was checked in a shared sandbox, for `fly intercept --check`.
CREATE TABLE sandbox_resource (
  handle text NOT NULL REFERENCES sandbox ON DELETE CASCADE,
  resource_id integer NOT NULL REFERENCES resource ON DELETE CASCADE,
  PRIMARY KEY (handle, resource_id)
);
CREATE INDEX sandbox_resource_id ON sandbox_resource (resource_id);

-- A directory that a step made or a user uploaded: in a sandbox, in the store of its worker, or in both.
CREATE TABLE artifact (
  id text PRIMARY KEY,
  worker_name text NOT NULL,
  sandbox_handle text,
  sandbox_path text,
  stored boolean NOT NULL DEFAULT false,
  size_bytes bigint,
  -- Who made it. NULL: uploaded, or its build is gone.
  build_id bigint REFERENCES build ON DELETE SET NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  stored_at timestamptz,
  CHECK ((sandbox_handle IS NULL) = (sandbox_path IS NULL))
);
CREATE INDEX artifact_sandbox ON artifact (sandbox_handle);
CREATE INDEX artifact_build ON artifact (build_id);
CREATE INDEX artifact_stored ON artifact (worker_name) WHERE stored;

-- Artifacts that users know by a number: uploads of `fly execute`, and the outputs it downloads.
CREATE TABLE worker_artifact (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  team_id integer NOT NULL REFERENCES team ON DELETE CASCADE,
  -- NULL: an upload.
  build_id bigint REFERENCES build ON DELETE CASCADE,
  name text NOT NULL,
  artifact_id text NOT NULL REFERENCES artifact ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (build_id, name)
);
CREATE INDEX worker_artifact_artifact ON worker_artifact (artifact_id);
CREATE INDEX worker_artifact_team ON worker_artifact (team_id);
CREATE INDEX worker_artifact_created_at ON worker_artifact (created_at);

-- What a get fetched, under the name of everything that decides what it is: type, source, version, params.
CREATE TABLE resource_cache (
  id text PRIMARY KEY,
  artifact_id text NOT NULL REFERENCES artifact ON DELETE CASCADE,
  version jsonb NOT NULL,
  version_digest text NOT NULL GENERATED ALWAYS AS (json_digest(version)) STORED,
  metadata json NOT NULL DEFAULT '[]',
  resource_config_id bigint REFERENCES resource_config ON DELETE SET NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX resource_cache_artifact ON resource_cache (artifact_id);
CREATE INDEX resource_cache_config ON resource_cache (resource_config_id, version_digest);

-- Builds that need it.
CREATE TABLE resource_cache_use (
  build_id bigint NOT NULL REFERENCES build ON DELETE CASCADE,
  cache_id text NOT NULL REFERENCES resource_cache ON DELETE CASCADE,
  -- It was the image of a step or of a type: kept until the job has succeeded again.
  image boolean NOT NULL DEFAULT false,
  PRIMARY KEY (build_id, cache_id)
);
CREATE INDEX resource_cache_use_cache ON resource_cache_use (cache_id);

-- A task's cache directories, for the next run of the same step of the same job on the same worker.
CREATE TABLE task_cache (
  job_id integer NOT NULL REFERENCES job ON DELETE CASCADE,
  step_name text NOT NULL,
  path text NOT NULL,
  worker_name text NOT NULL,
  artifact_id text NOT NULL REFERENCES artifact ON DELETE CASCADE,
  -- NULL: as the server says.
  ttl interval,
  last_used_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (job_id, step_name, path, worker_name)
);
CREATE INDEX task_cache_artifact ON task_cache (artifact_id);
