-- When the step of the sandbox ended. NULL: it has not, or its end is only in the build's journal.
ALTER TABLE sandbox ADD COLUMN ended_at timestamptz;
