-- The environment in which a key works. It is empty for the keys of earlier versions, which kept only their hashes.
ALTER TABLE api_key ADD COLUMN environment TEXT CHECK (environment IN ('production', 'staging'));
