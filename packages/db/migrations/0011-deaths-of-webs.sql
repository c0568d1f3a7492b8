-- A build that ends its web, say by exhausting its memory, would end every web that takes it. So the journal counts the
-- webs that died in a row while they held the build and wrote nothing to its journal.
ALTER TABLE build_journal_head
  -- Whether the web that took the pen last still has it, or died with it.
  ADD COLUMN held boolean NOT NULL DEFAULT false,
  -- The size of the journal when the pen was taken. Null: never taken, or the web that took it has run the build for a while.
  ADD COLUMN size_when_taken bigint,
  -- The pens of the webs that died.
  ADD COLUMN deaths integer[] NOT NULL DEFAULT '{}';
