-- Other builds may use what a get fetched only if it was stored before anybody could enter its sandbox and change it.
-- Rows from before this migration are not: what they name is fetched once more.
ALTER TABLE artifact ADD COLUMN untouched boolean NOT NULL DEFAULT false;
