-- A step's result, of which the value may be encrypted.
ALTER TABLE build_journal ADD COLUMN succeeded boolean NOT NULL DEFAULT false;
UPDATE build_journal SET succeeded = true
  WHERE what = 'result' AND value->>'end' = 'done' AND value#>>'{done,exitStatus}' = '0';
