-- The first key of a key's line, which has the idempotency records of all of them (retry.api_key_id). It is empty for a
-- key that follows none. Which of the earlier keys followed which is not known: each is the first of its own line.
ALTER TABLE api_key ADD COLUMN line INTEGER;
