-- Artifacts that a build uses and did not make. A cache or upload that referred to one may go before the build ends.
CREATE TABLE artifact_use (
  build_id bigint NOT NULL REFERENCES build ON DELETE CASCADE,
  artifact_id text NOT NULL REFERENCES artifact ON DELETE CASCADE,
  PRIMARY KEY (build_id, artifact_id)
);
CREATE INDEX artifact_use_artifact ON artifact_use (artifact_id);

INSERT INTO artifact_use (build_id, artifact_id)
SELECT DISTINCT used.build_id, cache.artifact_id
FROM resource_cache_use used
JOIN resource_cache cache ON cache.id = used.cache_id
JOIN build ON build.id = used.build_id AND build.status = 'started';
