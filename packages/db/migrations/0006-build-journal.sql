-- Events and journals have no foreign key to their build: it would lock and mark the build's row for each line of log.
-- A trigger deletes them with their build instead.

-- The pen of a build's journal. Whoever takes a build over takes the pen, and what an earlier holder still writes is
-- refused. Each append moves next_event_id on, and so events are numbered without a gap. Closed when the build has ended.
CREATE TABLE build_journal_head (
  build_id bigint PRIMARY KEY,
  next_event_id integer NOT NULL DEFAULT 0,
  writer integer NOT NULL DEFAULT 0,
  closed boolean NOT NULL DEFAULT false
) WITH (fillfactor = 50);

CREATE TABLE build_event (
  build_id bigint NOT NULL,
  -- 0, 1, 2 ...
  event_id integer NOT NULL,
  -- Of an event that happens once: a second one with the same key is dropped.
  key text,
  type text NOT NULL,
  version text NOT NULL,
  data json NOT NULL,
  PRIMARY KEY (build_id, event_id)
);
CREATE UNIQUE INDEX build_event_once ON build_event (build_id, key) WHERE key IS NOT NULL;

CREATE TABLE build_journal (
  build_id bigint NOT NULL,
  plan_id text NOT NULL,
  what text NOT NULL,
  value json NOT NULL,
  recorded_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (build_id, plan_id, what)
);

-- How many bytes of each stream of a step's process are in the build's events.
CREATE TABLE build_log_position (
  build_id bigint NOT NULL,
  plan_id text NOT NULL,
  stdout bigint NOT NULL,
  stderr bigint NOT NULL,
  PRIMARY KEY (build_id, plan_id)
) WITH (fillfactor = 50);

CREATE FUNCTION delete_journals_of_builds() RETURNS trigger
  LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM build_event WHERE build_id IN (SELECT id FROM deleted);
  DELETE FROM build_journal WHERE build_id IN (SELECT id FROM deleted);
  DELETE FROM build_log_position WHERE build_id IN (SELECT id FROM deleted);
  DELETE FROM build_journal_head WHERE build_id IN (SELECT id FROM deleted);
  RETURN NULL;
END $$;

CREATE TRIGGER build_deleted AFTER DELETE ON build REFERENCING OLD TABLE AS deleted
  FOR EACH STATEMENT EXECUTE FUNCTION delete_journals_of_builds();
