-- The environment in which a key works. It is empty for the keys of earlier versions, which kept only their hashes.
ALTER TABLE animal_store.api_key ADD COLUMN environment text CHECK (environment IN ('production', 'staging'));
