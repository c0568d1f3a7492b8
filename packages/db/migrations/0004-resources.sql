-- Everything of one type (down to the exact image of a custom type) with one source, whoever uses it.
CREATE TABLE resource_config (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- `base:NAME`, or `cache:ID`: the resource cache that the type's image was got as.
  parent text NOT NULL,
  source_digest text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (parent, source_digest)
);

CREATE TABLE resource (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  pipeline_id integer NOT NULL REFERENCES pipeline ON DELETE CASCADE,
  name text NOT NULL,
  active boolean NOT NULL DEFAULT true,
  type text NOT NULL,
  config json,
  -- Of its type and source as written: when they change, its history of versions is another.
  config_digest text NOT NULL,
  ordering integer NOT NULL,
  public boolean NOT NULL DEFAULT false,
  -- Where its versions are, once it was checked or put to.
  scope_id bigint,
  UNIQUE (pipeline_id, name)
);
CREATE INDEX resource_scope_id ON resource (scope_id);

CREATE TABLE resource_type (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  pipeline_id integer NOT NULL REFERENCES pipeline ON DELETE CASCADE,
  name text NOT NULL,
  active boolean NOT NULL DEFAULT true,
  type text NOT NULL,
  config json,
  ordering integer NOT NULL,
  scope_id bigint,
  UNIQUE (pipeline_id, name)
);
CREATE INDEX resource_type_scope_id ON resource_type (scope_id);

CREATE TABLE prototype (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  pipeline_id integer NOT NULL REFERENCES pipeline ON DELETE CASCADE,
  name text NOT NULL,
  active boolean NOT NULL DEFAULT true,
  type text NOT NULL,
  config json,
  ordering integer NOT NULL,
  scope_id bigint,
  UNIQUE (pipeline_id, name)
);
CREATE INDEX prototype_scope_id ON prototype (scope_id);

-- A history of versions: of one resource, or shared by everything with that configuration (resource_id is NULL).
CREATE TABLE resource_scope (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  resource_config_id bigint NOT NULL REFERENCES resource_config ON DELETE CASCADE,
  resource_id integer REFERENCES resource ON DELETE CASCADE,
  last_check_started_at timestamptz,
  last_check_ended_at timestamptz,
  last_check_succeeded boolean NOT NULL DEFAULT false,
  last_check_build_id bigint,
  -- The end of the last check and the interval after it; `infinity` for `check_every: never`.
  next_check_at timestamptz,
  UNIQUE NULLS NOT DISTINCT (resource_config_id, resource_id)
);
CREATE INDEX resource_scope_resource ON resource_scope (resource_id);
CREATE INDEX resource_scope_next_check ON resource_scope (next_check_at);
CREATE INDEX resource_scope_check_build ON resource_scope (last_check_build_id);

ALTER TABLE resource ADD FOREIGN KEY (scope_id) REFERENCES resource_scope ON DELETE SET NULL;
ALTER TABLE resource_type ADD FOREIGN KEY (scope_id) REFERENCES resource_scope ON DELETE SET NULL;
ALTER TABLE prototype ADD FOREIGN KEY (scope_id) REFERENCES resource_scope ON DELETE SET NULL;

CREATE TABLE resource_version (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  scope_id bigint NOT NULL REFERENCES resource_scope ON DELETE CASCADE,
  version jsonb NOT NULL,
  digest text NOT NULL GENERATED ALWAYS AS (json_digest(version)) STORED,
  -- [{ name, value }]
  metadata json,
  -- The greatest is the newest.
  check_order bigint NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (scope_id, digest)
);
CREATE INDEX resource_version_order ON resource_version (scope_id, check_order DESC);

-- Pins and disabled versions belong to the resource and not to the scope: they hold again when a new scope has found the
-- same versions.
CREATE TABLE resource_pin (
  resource_id integer PRIMARY KEY REFERENCES resource ON DELETE CASCADE,
  -- May be a part of a version.
  version jsonb NOT NULL,
  comment text NOT NULL DEFAULT '',
  -- Pinned by the pipeline's configuration, and so not to be unpinned by the API.
  in_config boolean NOT NULL
);

CREATE TABLE resource_disabled_version (
  resource_id integer NOT NULL REFERENCES resource ON DELETE CASCADE,
  version_digest text NOT NULL,
  PRIMARY KEY (resource_id, version_digest)
);

-- Every get of a job, wherever it stands in its plan.
CREATE TABLE job_input (
  job_id integer NOT NULL REFERENCES job ON DELETE CASCADE,
  name text NOT NULL,
  resource_id integer NOT NULL REFERENCES resource ON DELETE CASCADE,
  trigger boolean NOT NULL,
  -- "latest", "every" or a version; NULL when the step says nothing.
  version jsonb,
  -- Its place in the plan.
  ordering integer NOT NULL,
  PRIMARY KEY (job_id, name)
);
CREATE INDEX job_input_resource ON job_input (resource_id);

CREATE TABLE job_input_passed (
  job_id integer NOT NULL,
  input_name text NOT NULL,
  passed_job_id integer NOT NULL REFERENCES job ON DELETE CASCADE,
  PRIMARY KEY (job_id, input_name, passed_job_id),
  FOREIGN KEY (job_id, input_name) REFERENCES job_input (job_id, name) ON DELETE CASCADE
);
CREATE INDEX job_input_passed_job ON job_input_passed (passed_job_id);

CREATE TABLE job_output (
  job_id integer NOT NULL REFERENCES job ON DELETE CASCADE,
  name text NOT NULL,
  resource_id integer NOT NULL REFERENCES resource ON DELETE CASCADE,
  -- A plan may put twice under one name.
  PRIMARY KEY (job_id, name, resource_id)
);
CREATE INDEX job_output_resource ON job_output (resource_id);
