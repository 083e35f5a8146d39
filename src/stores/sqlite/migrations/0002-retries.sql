-- What was answered to creates that may be repeated: the animal, by the client's name for the create.
-- The rest of the first answer is the content, which a repetition brings along, and `digest` vouches for it.
CREATE TABLE retry (
  api_key_id INTEGER NOT NULL,
  key TEXT NOT NULL CHECK (length(key) BETWEEN 1 AND 255),
  -- SHA-256, in hexadecimal.
  digest TEXT NOT NULL CHECK (length(digest) = 64),
  animal_id INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (api_key_id, key)
) STRICT, WITHOUT ROWID;

-- For the sweep.
CREATE INDEX retry_by_age ON retry (created_at);
