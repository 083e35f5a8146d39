-- The schema of 0.2.0, the first release. Everything lives in a schema of its own, so that the database may be shared.
-- Times are milliseconds since 1970, UTC. The constraints repeat what the domain checks, to catch our own mistakes. The
-- SQLite migration of the same name explains the tables that both engines have.

-- One row. Its lock orders all creates, on every instance: a create holds the lock until its commit, so an id becomes
-- visible only after every lower id. Only changes of keys write the row: docs/decisions/0007-append-only-order.md.
CREATE TABLE animal_store.state (
  single boolean PRIMARY KEY DEFAULT true CHECK (single),
  keys_revision bigint NOT NULL DEFAULT 0
);

INSERT INTO animal_store.state DEFAULT VALUES;

CREATE TABLE animal_store.animal (
  id bigint PRIMARY KEY CHECK (id > 0),
  name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 255),
  category_id bigint NOT NULL,
  status text NOT NULL CHECK (status IN ('available', 'pending', 'sold'))
);

CREATE INDEX animal_by_status ON animal_store.animal (status, id);

-- A create takes ids from this sequence once it holds the lock of `state`.
CREATE SEQUENCE animal_store.animal_id_seq CACHE 1 OWNED BY animal_store.animal.id;

CREATE TABLE animal_store.api_key (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  hash bytea NOT NULL UNIQUE CHECK (octet_length(hash) = 32),
  name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 255),
  scopes text NOT NULL,
  environment text NOT NULL CHECK (environment IN ('production', 'staging')),
  line bigint,
  created_at bigint NOT NULL,
  expires_at bigint,
  revoked_at bigint
);

-- A rotation looks for a later key of the line.
CREATE INDEX api_key_by_line ON animal_store.api_key (line, id);

CREATE TABLE animal_store.secret (
  name text PRIMARY KEY,
  value bytea NOT NULL CHECK (octet_length(value) >= 32)
);

CREATE TABLE animal_store.idempotency_key (
  line bigint NOT NULL,
  key text NOT NULL CHECK (char_length(key) BETWEEN 1 AND 255),
  digest text NOT NULL CHECK (char_length(digest) = 64),
  animal_id bigint NOT NULL,
  created_at bigint NOT NULL,
  PRIMARY KEY (line, key)
);

CREATE INDEX idempotency_key_by_age ON animal_store.idempotency_key (created_at);

CREATE TABLE animal_store.import (
  digest text PRIMARY KEY CHECK (char_length(digest) = 64),
  done bigint NOT NULL CHECK (done BETWEEN 0 AND total),
  total bigint NOT NULL,
  first_id bigint NOT NULL,
  last_id bigint NOT NULL,
  finished_at bigint NOT NULL
);

CREATE TABLE animal_store.incomplete_copy (
  single boolean PRIMARY KEY DEFAULT true CHECK (single),
  source text NOT NULL
);

CREATE TABLE animal_store.stock_correction (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  made_at bigint NOT NULL,
  made_by text NOT NULL,
  animal_id bigint NOT NULL,
  name_before text NOT NULL,
  category_id_before bigint NOT NULL,
  status_before text NOT NULL,
  name_after text,
  category_id_after bigint,
  status_after text,
  CHECK ((name_after IS NULL) = (category_id_after IS NULL) AND (name_after IS NULL) = (status_after IS NULL))
);

CREATE INDEX stock_correction_by_animal ON animal_store.stock_correction (animal_id, id);

-- Whether anything changed shows in the greatest number of these two logs. Each is written under a lock that is held to
-- the commit, so its numbers become visible in their order. Only the newest rows matter; old rows are deleted.

-- One row for each commit of appended animals, written under the lock of `state`.
CREATE TABLE animal_store.append_log (number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY);

-- One row for each commit that changed animals in any other way, whoever made it, written under the lock of
-- `rewrite_lock`. That lock is separate, so that no create waits for a transaction by hand.
CREATE TABLE animal_store.rewrite_log (number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY);
CREATE TABLE animal_store.rewrite_lock (single boolean PRIMARY KEY DEFAULT true CHECK (single));
INSERT INTO animal_store.rewrite_lock DEFAULT VALUES;

-- The transactions that have rewritten animals, until they commit. Each gets its number at its commit.
CREATE TABLE animal_store.rewriting (
  transaction xid8 PRIMARY KEY,
  -- Whether the transaction brought ids that the sequence may not have given.
  new_ids boolean NOT NULL DEFAULT false
);

-- Trigger functions run with their owner's rights, so that they work for every role that may change animals or keys.
-- Functions that instances call run with their caller's: a role that only reads must not lock creates out.

-- The greatest numbers are read by ORDER BY and LIMIT: before PostgreSQL 18 a plan for max() that is made while a table
-- is nearly empty reads the whole index, and a session keeps its plans while the table grows.

-- Locks out creates, and brings the sequences that they use past every row that is there; returns the last id that was
-- given. Animals above 2^62 do not count: so many ids are left for later animals.
CREATE FUNCTION animal_store.lock_animal_ids() RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  given bigint;
  highest bigint;
BEGIN
  PERFORM FROM animal_store.state WHERE single FOR UPDATE;
  PERFORM setval('animal_store.append_log_number_seq', newest)
     FROM (SELECT number AS newest FROM animal_store.append_log ORDER BY number DESC LIMIT 1) log,
          animal_store.append_log_number_seq
    WHERE newest >= last_value;
  SELECT CASE WHEN is_called THEN last_value ELSE 0 END INTO given FROM animal_store.animal_id_seq;
  SELECT id INTO highest FROM animal_store.animal WHERE id <= 4611686018427387904 ORDER BY id DESC LIMIT 1;
  IF highest > given THEN
    PERFORM setval('animal_store.animal_id_seq', highest);
    RETURN highest;
  END IF;
  RETURN given;
END $$;

-- Locks out other rewrites, and brings their sequence past every row that is there.
CREATE FUNCTION animal_store.lock_rewrites() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM FROM animal_store.rewrite_lock WHERE single FOR UPDATE;
  PERFORM setval('animal_store.rewrite_log_number_seq', newest)
     FROM (SELECT number AS newest FROM animal_store.rewrite_log ORDER BY number DESC LIMIT 1) log,
          animal_store.rewrite_log_number_seq
    WHERE newest >= last_value;
END $$;

-- Brings every sequence past the rows that are there: rows that were restored or replicated may come without it.
CREATE FUNCTION animal_store.repair_sequences() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM animal_store.lock_animal_ids();
  PERFORM setval('animal_store.api_key_id_seq', highest)
     FROM (SELECT id AS highest FROM animal_store.api_key ORDER BY id DESC LIMIT 1) keys, animal_store.api_key_id_seq
    WHERE highest >= last_value;
  PERFORM setval('animal_store.stock_correction_id_seq', highest)
     FROM (SELECT id AS highest FROM animal_store.stock_correction ORDER BY id DESC LIMIT 1) corrections,
          animal_store.stock_correction_id_seq
    WHERE highest >= last_value;
  PERFORM animal_store.lock_rewrites();
END $$;

CREATE FUNCTION animal_store.note_rewriting() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  INSERT INTO animal_store.rewriting (transaction) VALUES (pg_current_xact_id()) ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

CREATE FUNCTION animal_store.note_new_ids() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  INSERT INTO animal_store.rewriting AS noted VALUES (pg_current_xact_id(), true)
  ON CONFLICT (transaction) DO UPDATE SET new_ids = true WHERE NOT noted.new_ids;
  RETURN NULL;
END $$;

-- At the commit: so a transaction that stays open keeps no create waiting, and its number is not below a number that
-- was seen.
CREATE FUNCTION animal_store.count_rewriting() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  with_new_ids boolean;
BEGIN
  DELETE FROM animal_store.rewriting r WHERE r.transaction = NEW.transaction RETURNING r.new_ids INTO with_new_ids;
  IF with_new_ids THEN
    PERFORM animal_store.lock_animal_ids();
  END IF;
  PERFORM animal_store.lock_rewrites();
  INSERT INTO animal_store.rewrite_log DEFAULT VALUES;
  RETURN NULL;
END $$;

CREATE FUNCTION animal_store.count_keys() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  UPDATE animal_store.state SET keys_revision = keys_revision + 1 WHERE single;
  RETURN NULL;
END $$;

-- A trigger that exists fires for every role. Only a role that makes another trigger needs the right to its function.
REVOKE EXECUTE ON FUNCTION animal_store.note_rewriting(), animal_store.note_new_ids(), animal_store.count_rewriting(),
                           animal_store.count_keys() FROM PUBLIC;

CREATE TRIGGER animal_changed AFTER UPDATE OR DELETE OR TRUNCATE ON animal_store.animal
  FOR EACH STATEMENT EXECUTE FUNCTION animal_store.note_rewriting();

CREATE TRIGGER animal_renumbered AFTER UPDATE OF id ON animal_store.animal
  FOR EACH STATEMENT EXECUTE FUNCTION animal_store.note_new_ids();

-- Sessions of this program take every id from the sequence, or look at it first, and say so by this setting: what they
-- insert is appended. Nothing is known of the inserts of other sessions.
CREATE TRIGGER animal_inserted AFTER INSERT ON animal_store.animal
  FOR EACH STATEMENT WHEN (current_setting('animal_store.appends', true) IS DISTINCT FROM 'on')
  EXECUTE FUNCTION animal_store.note_new_ids();

CREATE CONSTRAINT TRIGGER rewriting_noted AFTER INSERT ON animal_store.rewriting
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION animal_store.count_rewriting();

-- BEFORE: a session that changes keys takes the lock of `state` first.
CREATE TRIGGER keys_changed BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON animal_store.api_key
  FOR EACH STATEMENT EXECUTE FUNCTION animal_store.count_keys();
