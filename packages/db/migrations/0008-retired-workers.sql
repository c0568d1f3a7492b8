-- A retired worker keeps its row, so that a heartbeat of a web that has not yet seen its end does not bring it back.
ALTER TABLE worker DROP CONSTRAINT worker_state_check;
ALTER TABLE worker ADD CONSTRAINT worker_state_check
  CHECK (state IN ('running', 'stalled', 'landing', 'landed', 'retiring', 'retired'));
