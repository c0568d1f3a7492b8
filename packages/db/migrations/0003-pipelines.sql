-- What is only ever kept and handed back is `json`: the text stays as it was, a NUL in a string included, which `jsonb`
-- would refuse. What is compared or searched is `jsonb`.

CREATE SEQUENCE config_version;

CREATE TABLE pipeline (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  team_id integer NOT NULL REFERENCES team ON DELETE CASCADE,
  name text NOT NULL,
  -- NULL: not an instance. That is another thing than {}.
  instance_vars jsonb,
  instance_key text NOT NULL GENERATED ALWAYS AS (coalesce(json_digest(instance_vars), '')) STORED,
  -- As it was set; NULL once archived.
  config json,
  -- { groups, display, user_data }: what everybody who sees the pipeline sees of its configuration.
  shown json NOT NULL DEFAULT '{}',
  -- From the sequence; 0 once archived.
  config_version bigint NOT NULL,
  paused boolean NOT NULL,
  paused_by text,
  paused_at timestamptz,
  public boolean NOT NULL DEFAULT false,
  archived boolean NOT NULL DEFAULT false,
  -- Pipelines of one name stand together, and are ordered among themselves by the second.
  ordering integer NOT NULL,
  secondary_ordering integer NOT NULL DEFAULT 1,
  -- Set by a set_pipeline step: the build that last set it, and its job. Either may be gone by now.
  parent_job_id integer,
  parent_build_id bigint,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (team_id, name, instance_key)
);
CREATE INDEX pipeline_ordering ON pipeline (team_id, ordering, secondary_ordering);
CREATE INDEX pipeline_parent_job ON pipeline (parent_job_id) WHERE parent_job_id IS NOT NULL;

CREATE TABLE job (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  pipeline_id integer NOT NULL REFERENCES pipeline ON DELETE CASCADE,
  name text NOT NULL,
  -- Whether the pipeline's configuration has it. One that has gone keeps its history and gets it back with its name.
  active boolean NOT NULL DEFAULT true,
  -- NULL once the pipeline is archived.
  config json,
  -- Its place in the configuration.
  ordering integer NOT NULL,
  -- Names of the groups it is shown in.
  groups text[] NOT NULL DEFAULT '{}',
  public boolean NOT NULL DEFAULT false,
  interruptible boolean NOT NULL DEFAULT false,
  disable_manual_trigger boolean NOT NULL DEFAULT false,
  disable_reruns boolean NOT NULL DEFAULT false,
  -- 0: no limit.
  max_in_flight integer NOT NULL DEFAULT 0,
  paused boolean NOT NULL DEFAULT false,
  paused_by text,
  paused_at timestamptz,
  -- Each reason to look at the job adds one; the scheduler writes down which one it had seen before it looked. Counters
  -- and not times, because a transaction that began earlier may commit later.
  schedule_requested bigint NOT NULL DEFAULT 0,
  scheduled bigint NOT NULL DEFAULT 0,
  -- What the last look at its inputs found.
  inputs_determined boolean NOT NULL DEFAULT false,
  has_new_inputs boolean NOT NULL DEFAULT false,
  max_in_flight_reached boolean NOT NULL DEFAULT false,
  -- The number of the last build.
  build_counter integer NOT NULL DEFAULT 0,
  -- Kept here because every dashboard asks for them.
  next_build_id bigint,
  latest_completed_build_id bigint,
  transition_build_id bigint,
  first_logged_build_id bigint,
  UNIQUE (pipeline_id, name)
);
CREATE INDEX job_to_schedule ON job (id) WHERE active AND schedule_requested > scheduled;
CREATE INDEX job_latest_completed ON job (latest_completed_build_id);

-- A job with `max_in_flight` or `serial` and no groups is in a group of its own name.
CREATE TABLE job_serial_group (
  job_id integer NOT NULL REFERENCES job ON DELETE CASCADE,
  serial_group text NOT NULL,
  PRIMARY KEY (job_id, serial_group)
);
CREATE INDEX job_serial_group_name ON job_serial_group (serial_group);
