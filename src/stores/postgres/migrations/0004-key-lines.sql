-- The first key of a key's line, empty for a key that follows none: see the SQLite migration of the same name.
ALTER TABLE animal_store.api_key ADD COLUMN line bigint;
