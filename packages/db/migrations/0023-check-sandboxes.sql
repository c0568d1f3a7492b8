-- Of a sandbox that checks share: the configuration whose checks take turns in it. Null: checks of any configuration run in it
-- side by side. No reference, because a configuration may go before the sandbox.
ALTER TABLE sandbox ADD COLUMN config_id bigint;
