-- The configuration that a cache was fetched for, as in resource_config, so that the caches of a resource can be cleared.
-- Null: the cache was saved before this column existed.
ALTER TABLE resource_cache ADD COLUMN parent text, ADD COLUMN source_digest text;
CREATE INDEX resource_cache_config ON resource_cache (parent, source_digest);
