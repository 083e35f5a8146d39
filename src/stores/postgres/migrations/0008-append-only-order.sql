-- Orders creates, and reports changes, without a row that every commit writes: docs/decisions/0007-append-only-order.md.

-- A create locks the row of `state` until its commit, and only then takes ids from this sequence: so an id becomes
-- visible only after every lower one. The row itself is written for changes of keys alone.
CREATE SEQUENCE animal_store.animal_id_seq CACHE 1 OWNED BY animal_store.animal.id;

-- As in lock_animal_ids below, no id above 2^62 counts.
SELECT setval('animal_store.animal_id_seq', given)
  FROM (SELECT greatest(last_animal_id, (SELECT max(id) FROM animal_store.animal WHERE id <= 4611686018427387904)) AS given
          FROM animal_store.state) s
 WHERE given > 0;

DROP FUNCTION animal_store.add_retryable(text[], bigint[], text[], bigint[], text[], text[], bigint, bigint);

ALTER TABLE animal_store.state DROP COLUMN last_animal_id, DROP COLUMN stock_revision, DROP COLUMN past_revision;

-- Whether anything changed shows in the greatest number of these logs. Each is written under a lock that is held to the
-- commit, so their numbers become visible in their order. Only the newest rows matter; old ones are deleted.
-- One row for each commit of animals that came behind all others, under the lock of `state`.
CREATE TABLE animal_store.append_log (number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY);

-- One row for each commit that changed animals that were there, whoever made it, under the lock of `rewrite_lock`.
CREATE TABLE animal_store.rewrite_log (number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY);

-- A lock of its own, so that creates never wait for a transaction by hand.
CREATE TABLE animal_store.rewrite_lock (single boolean PRIMARY KEY DEFAULT true CHECK (single));
INSERT INTO animal_store.rewrite_lock DEFAULT VALUES;

-- Trigger functions run with their owner's rights, so that they work for every role that may change animals or keys. The
-- functions that instances call run with their caller's: a role that only reads must not lock creates out.

-- Locks out creates, and brings the sequences that they use past every row that is there; returns the last id that was
-- given. Animals above 2^62 are passed by: as many ids are left for those to come.
CREATE FUNCTION animal_store.lock_animal_ids() RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  given bigint;
  highest bigint;
BEGIN
  PERFORM FROM animal_store.state WHERE single FOR UPDATE;
  PERFORM setval('animal_store.append_log_number_seq', newest)
     FROM (SELECT max(number) AS newest FROM animal_store.append_log) log, animal_store.append_log_number_seq
    WHERE newest >= last_value;
  SELECT CASE WHEN is_called THEN last_value ELSE 0 END INTO given FROM animal_store.animal_id_seq;
  SELECT max(id) INTO highest FROM animal_store.animal WHERE id <= 4611686018427387904;
  IF highest > given THEN
    PERFORM setval('animal_store.animal_id_seq', highest);
    RETURN highest;
  END IF;
  RETURN given;
END $$;

-- Brings every sequence past the rows that are there: restored or replicated, these may have come without it.
CREATE FUNCTION animal_store.repair_sequences() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM animal_store.lock_animal_ids();
  PERFORM setval('animal_store.api_key_id_seq', highest)
     FROM (SELECT max(id) AS highest FROM animal_store.api_key) keys, animal_store.api_key_id_seq
    WHERE highest >= last_value;
  PERFORM setval('animal_store.stock_correction_id_seq', highest)
     FROM (SELECT max(id) AS highest FROM animal_store.stock_correction) corrections,
          animal_store.stock_correction_id_seq
    WHERE highest >= last_value;
  PERFORM FROM animal_store.rewrite_lock WHERE single FOR UPDATE;
  PERFORM setval('animal_store.rewrite_log_number_seq', newest)
     FROM (SELECT max(number) AS newest FROM animal_store.rewrite_log) log, animal_store.rewrite_log_number_seq
    WHERE newest >= last_value;
END $$;

-- Whether the transaction brought ids that the sequence may not have given.
ALTER TABLE animal_store.rewriting ADD COLUMN new_ids boolean NOT NULL DEFAULT false;

CREATE OR REPLACE FUNCTION animal_store.note_rewriting() RETURNS trigger
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

DROP TRIGGER animal_inserted ON animal_store.animal;
CREATE TRIGGER animal_inserted AFTER INSERT ON animal_store.animal
  FOR EACH STATEMENT WHEN (current_setting('animal_store.appends', true) IS DISTINCT FROM 'on')
  EXECUTE FUNCTION animal_store.note_new_ids();

CREATE TRIGGER animal_renumbered AFTER UPDATE OF id ON animal_store.animal
  FOR EACH STATEMENT EXECUTE FUNCTION animal_store.note_new_ids();

-- At the commit: a transaction that stays open keeps no create waiting, and its number is not below one that was seen.
CREATE OR REPLACE FUNCTION animal_store.count_rewriting() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  with_new_ids boolean;
BEGIN
  DELETE FROM animal_store.rewriting r WHERE r.transaction = NEW.transaction RETURNING r.new_ids INTO with_new_ids;
  IF with_new_ids THEN
    PERFORM animal_store.lock_animal_ids();
  END IF;
  PERFORM FROM animal_store.rewrite_lock WHERE single FOR UPDATE;
  INSERT INTO animal_store.rewrite_log DEFAULT VALUES;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION animal_store.count_keys() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  UPDATE animal_store.state SET keys_revision = keys_revision + 1 WHERE single;
  RETURN NULL;
END $$;

-- A trigger that exists fires for every role. Only a role that makes another trigger needs the right to its function.
REVOKE EXECUTE ON FUNCTION animal_store.note_rewriting(), animal_store.note_new_ids(), animal_store.count_rewriting(),
                           animal_store.count_keys() FROM PUBLIC;
