-- Finds a version by a part of it, such as a pin, among any number of versions.
CREATE INDEX resource_version_contains ON resource_version USING gin (version jsonb_path_ops);
