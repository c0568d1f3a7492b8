CREATE SEQUENCE one_off_build_name;

CREATE TABLE build (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL,
  team_id integer NOT NULL REFERENCES team ON DELETE CASCADE,
  -- None: a one-off build, by `fly execute`.
  pipeline_id integer REFERENCES pipeline ON DELETE CASCADE,
  -- At most one of these four: what it is a build or a check of.
  job_id integer REFERENCES job ON DELETE CASCADE,
  resource_id integer REFERENCES resource ON DELETE CASCADE,
  resource_type_id integer REFERENCES resource_type ON DELETE CASCADE,
  prototype_id integer REFERENCES prototype ON DELETE CASCADE,
  status text NOT NULL CHECK (status IN ('pending', 'started', 'succeeded', 'failed', 'errored', 'aborted')),
  completed boolean NOT NULL GENERATED ALWAYS AS (status NOT IN ('pending', 'started')) STORED,
  manually_triggered boolean NOT NULL DEFAULT false,
  is_check boolean NOT NULL GENERATED ALWAYS AS (num_nonnulls(resource_id, resource_type_id, prototype_id) > 0) STORED,
  -- Lists of builds leave out the checks that nobody asked for.
  listed boolean NOT NULL GENERATED ALWAYS AS
    (manually_triggered OR num_nonnulls(resource_id, resource_type_id, prototype_id) = 0) STORED,
  created_by text,
  comment text,
  -- Always the original, never a rerun.
  rerun_of bigint REFERENCES build ON DELETE CASCADE,
  rerun_number integer,
  -- Builds are ordered by this, then by id: a rerun stands beside its original.
  ordering bigint NOT NULL GENERATED ALWAYS AS (coalesce(rerun_of, id)) STORED,
  -- It holds one of its job's slots.
  scheduled boolean NOT NULL DEFAULT false,
  inputs_ready boolean NOT NULL DEFAULT false,
  -- Somebody wants it to stop.
  aborted boolean NOT NULL DEFAULT false,
  -- Its sandboxes are kept for people to look into.
  interceptible boolean NOT NULL DEFAULT true,
  -- Its events have been sent on to where the operator wants them.
  drained boolean NOT NULL DEFAULT false,
  -- Gone when the build has ended: it may hold secrets.
  private_plan json,
  public_plan json,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  started_at timestamptz,
  ended_at timestamptz,
  -- When its events were deleted.
  reaped_at timestamptz
);
CREATE UNIQUE INDEX build_job_name ON build (job_id, name) WHERE job_id IS NOT NULL;
CREATE INDEX build_order ON build (ordering DESC, id DESC) WHERE listed;
CREATE INDEX build_team_order ON build (team_id, ordering DESC, id DESC) WHERE listed;
CREATE INDEX build_pipeline_order ON build (pipeline_id, ordering DESC, id DESC) WHERE listed;
CREATE INDEX build_job_order ON build (job_id, ordering DESC, id DESC) WHERE job_id IS NOT NULL;
CREATE INDEX build_started_at ON build (started_at) WHERE listed;
CREATE INDEX build_pipeline ON build (pipeline_id) WHERE pipeline_id IS NOT NULL;
CREATE INDEX build_resource ON build (resource_id, id DESC) WHERE resource_id IS NOT NULL;
CREATE INDEX build_resource_type ON build (resource_type_id, id DESC) WHERE resource_type_id IS NOT NULL;
CREATE INDEX build_prototype ON build (prototype_id, id DESC) WHERE prototype_id IS NOT NULL;
CREATE INDEX build_rerun_of ON build (rerun_of) WHERE rerun_of IS NOT NULL;
CREATE INDEX build_unfinished ON build (job_id, ordering, id) WHERE status IN ('pending', 'started');
CREATE INDEX build_started ON build (id) WHERE status = 'started';
CREATE INDEX build_interceptible ON build (ended_at) WHERE interceptible AND status NOT IN ('pending', 'started');
CREATE INDEX build_completed_check ON build (id) WHERE is_check AND status NOT IN ('pending', 'started');
CREATE INDEX build_to_drain ON build (id) WHERE NOT drained AND NOT is_check AND status NOT IN ('pending', 'started');

-- The versions that the next build of a job would get, as last resolved.
CREATE TABLE next_build_input (
  job_id integer NOT NULL REFERENCES job ON DELETE CASCADE,
  input_name text NOT NULL,
  -- Either these three or an error.
  resource_id integer REFERENCES resource ON DELETE CASCADE,
  version_digest text,
  first_occurrence boolean,
  resolve_error text,
  PRIMARY KEY (job_id, input_name)
);
CREATE INDEX next_build_input_resource ON next_build_input (resource_id, version_digest);

-- The builds of upstream jobs that vouch for them.
CREATE TABLE next_build_pipe (
  to_job_id integer NOT NULL REFERENCES job ON DELETE CASCADE,
  from_build_id bigint NOT NULL REFERENCES build ON DELETE CASCADE,
  PRIMARY KEY (to_job_id, from_build_id)
);
CREATE INDEX next_build_pipe_from ON next_build_pipe (from_build_id);

-- What builds got and put. The version is kept with its digest, since its scope may go.
CREATE TABLE build_input (
  build_id bigint NOT NULL REFERENCES build ON DELETE CASCADE,
  name text NOT NULL,
  resource_id integer NOT NULL REFERENCES resource ON DELETE CASCADE,
  version_digest text NOT NULL,
  version jsonb NOT NULL,
  first_occurrence boolean NOT NULL,
  -- The build's, for asking what a job has used.
  job_id integer NOT NULL,
  PRIMARY KEY (build_id, name)
);
CREATE INDEX build_input_version ON build_input (resource_id, version_digest, build_id);
CREATE INDEX build_input_of_job ON build_input (job_id, resource_id, version_digest, name);

CREATE TABLE build_output (
  build_id bigint NOT NULL REFERENCES build ON DELETE CASCADE,
  name text NOT NULL,
  resource_id integer NOT NULL REFERENCES resource ON DELETE CASCADE,
  version_digest text NOT NULL,
  version jsonb NOT NULL,
  PRIMARY KEY (build_id, name, resource_id, version_digest)
);
CREATE INDEX build_output_version ON build_output (resource_id, version_digest, build_id);

CREATE TABLE build_pipe (
  to_build_id bigint NOT NULL REFERENCES build ON DELETE CASCADE,
  from_build_id bigint NOT NULL REFERENCES build ON DELETE CASCADE,
  PRIMARY KEY (to_build_id, from_build_id)
);
CREATE INDEX build_pipe_from ON build_pipe (from_build_id);

-- What `passed` asks: every version a successful build of a job vouches for, those it put before those it got.
-- outputs: { "RESOURCE ID": [version digest, ...] }
CREATE TABLE successful_build_output (
  build_id bigint PRIMARY KEY REFERENCES build ON DELETE CASCADE,
  job_id integer NOT NULL REFERENCES job ON DELETE CASCADE,
  rerun_of bigint,
  ordering bigint NOT NULL GENERATED ALWAYS AS (coalesce(rerun_of, build_id)) STORED,
  outputs jsonb NOT NULL
);
CREATE INDEX successful_build_output_order ON successful_build_output (job_id, ordering DESC, build_id DESC);
CREATE INDEX successful_build_output_contains ON successful_build_output USING gin (outputs jsonb_path_ops);
