-- Everything lives in a schema of its own, so that the database may be shared with others.
-- The constraints repeat what the domain checks: they are there to catch our own mistakes.

-- One row. Its lock orders all creates, on every instance: it is held until the commit, so an id becomes
-- visible only after every lower one, and none is skipped.
CREATE TABLE animal_store.state (
  single boolean PRIMARY KEY DEFAULT true CHECK (single),
  last_animal_id bigint NOT NULL DEFAULT 0,
  -- Grow with every change of the stock and of the keys.
  stock_revision bigint NOT NULL DEFAULT 0,
  keys_revision bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

INSERT INTO animal_store.state DEFAULT VALUES;

CREATE TABLE animal_store.animal (
  id bigint PRIMARY KEY CHECK (id > 0),
  name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 255),
  category_id bigint NOT NULL,
  status text NOT NULL CHECK (status IN ('available', 'pending', 'sold'))
);

CREATE INDEX animal_by_status ON animal_store.animal (status, id);

-- Times are milliseconds since 1970, UTC.
CREATE TABLE animal_store.api_key (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- SHA-256: the key itself is nowhere.
  hash bytea NOT NULL UNIQUE CHECK (octet_length(hash) = 32),
  name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 255),
  scopes text NOT NULL,
  created_at bigint NOT NULL,
  expires_at bigint,
  revoked_at bigint
);

CREATE TABLE animal_store.secret (
  name text PRIMARY KEY,
  value bytea NOT NULL CHECK (octet_length(value) >= 32)
);

-- What was answered to creates that may be repeated: see the SQLite migration of the same name.
CREATE TABLE animal_store.retry (
  api_key_id bigint NOT NULL,
  key text NOT NULL CHECK (char_length(key) BETWEEN 1 AND 255),
  digest text NOT NULL CHECK (char_length(digest) = 64),
  animal_id bigint NOT NULL,
  created_at bigint NOT NULL,
  PRIMARY KEY (api_key_id, key)
);

CREATE INDEX retry_by_age ON animal_store.retry (created_at);

-- Adds a batch of which some may be repeated. In a volatile function each statement sees what was
-- committed before it began, so what other instances stored while we waited for the lock is found.
CREATE FUNCTION animal_store.add_retryable(
  names text[], category_ids bigint[], statuses text[],
  owners bigint[], keys text[], digests text[], now_ms bigint, life_ms bigint
) RETURNS TABLE (id bigint, reused boolean) LANGUAGE plpgsql AS $$
DECLARE
  last_id bigint;
  earlier animal_store.retry%ROWTYPE;
BEGIN
  SELECT last_animal_id INTO last_id FROM animal_store.state FOR UPDATE;
  FOR i IN 1 .. cardinality(names) LOOP
    IF keys[i] IS NOT NULL THEN
      SELECT * INTO earlier FROM animal_store.retry r
       WHERE r.api_key_id = owners[i] AND r.key = keys[i] AND r.created_at > now_ms - life_ms;
      IF FOUND THEN
        reused := earlier.digest <> digests[i];
        id := earlier.animal_id;
        RETURN NEXT;
        CONTINUE;
      END IF;
    END IF;
    last_id := last_id + 1;
    INSERT INTO animal_store.animal VALUES (last_id, names[i], category_ids[i], statuses[i]);
    IF keys[i] IS NOT NULL THEN
      INSERT INTO animal_store.retry VALUES (owners[i], keys[i], digests[i], last_id, now_ms)
      ON CONFLICT (api_key_id, key) DO UPDATE
        SET digest = excluded.digest, animal_id = excluded.animal_id, created_at = excluded.created_at;
    END IF;
    id := last_id;
    reused := false;
    RETURN NEXT;
  END LOOP;
  UPDATE animal_store.state SET last_animal_id = last_id, stock_revision = stock_revision + 1;
END $$;
