-- In words, how web reaches the worker's sandboxes, where there is more than one way.
ALTER TABLE worker ADD COLUMN way text;
