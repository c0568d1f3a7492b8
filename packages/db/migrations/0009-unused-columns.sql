-- Columns that nothing uses.
ALTER TABLE build DROP COLUMN drained;
ALTER TABLE artifact DROP COLUMN size_bytes;
ALTER TABLE task_cache DROP COLUMN ttl;
ALTER TABLE resource_cache DROP COLUMN resource_config_id, DROP COLUMN version_digest;
