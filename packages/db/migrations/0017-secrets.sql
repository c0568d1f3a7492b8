-- Configurations, plans, journals and private keys may be encrypted: a JSON string, `"sealed:KEY:..."`, in the place of an
-- object. So what statements ask of configurations has columns of its own.

-- { builds, days, minimum_succeeded_builds }
ALTER TABLE job ADD COLUMN log_retention json;
UPDATE job SET log_retention = coalesce(config->'build_log_retention', json_build_object('builds', config->'build_logs_to_retain'))
  WHERE config->'build_log_retention' IS NOT NULL OR config->'build_logs_to_retain' IS NOT NULL;
-- The pipeline's configuration has it.
ALTER TABLE job DROP COLUMN config;

ALTER TABLE resource ADD COLUMN check_every text;
UPDATE resource SET check_every = config->>'check_every';
