-- How long after its last use a task cache expires. NULL: never.
ALTER TABLE task_cache ADD COLUMN ttl interval;
