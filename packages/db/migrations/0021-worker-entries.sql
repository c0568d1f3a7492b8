-- The worker's configuration, as a digest: a worker that left comes back when it changes. Before, a start of web brought it back.
ALTER TABLE worker ADD COLUMN entry text NOT NULL DEFAULT '';
