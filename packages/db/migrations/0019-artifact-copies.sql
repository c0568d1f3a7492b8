-- Workers other than the artifact's own whose stores have a copy, or are about to get one. Not a reference: when the
-- artifact has gone, the row tells the collector that the store may delete the copy.
CREATE TABLE artifact_copy (
  artifact_id text NOT NULL,
  worker_name text NOT NULL,
  PRIMARY KEY (artifact_id, worker_name)
);
CREATE INDEX artifact_copy_worker ON artifact_copy (worker_name);
