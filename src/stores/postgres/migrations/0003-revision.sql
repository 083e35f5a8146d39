-- Counts the changes that a page or an animal that was read before does not outlive, whoever makes them: see SQLite's
-- migration of the same name.
ALTER TABLE animal_store.state ADD COLUMN past_revision bigint NOT NULL DEFAULT 0;

-- Transactions that have made such a change, until they commit. They are counted then: who has the state's lock keeps
-- creates waiting, and a transaction by hand may stay open for long.
CREATE TABLE animal_store.rewriting (transaction xid8 PRIMARY KEY);

CREATE FUNCTION animal_store.note_rewriting() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO animal_store.rewriting VALUES (pg_current_xact_id()) ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

CREATE TRIGGER animal_changed AFTER UPDATE OR DELETE OR TRUNCATE ON animal_store.animal
  FOR EACH STATEMENT EXECUTE FUNCTION animal_store.note_rewriting();

-- Sessions of this program take every id from the state, or look there first, and say so: what they add comes
-- behind all others. Of anybody else's that is not known.
CREATE TRIGGER animal_inserted AFTER INSERT ON animal_store.animal
  FOR EACH STATEMENT WHEN (current_setting('animal_store.appends', true) IS DISTINCT FROM 'on')
  EXECUTE FUNCTION animal_store.note_rewriting();

CREATE FUNCTION animal_store.count_rewriting() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM animal_store.rewriting WHERE transaction = NEW.transaction;
  UPDATE animal_store.state SET stock_revision = stock_revision + 1, past_revision = past_revision + 1;
  RETURN NULL;
END $$;

CREATE CONSTRAINT TRIGGER rewriting_noted AFTER INSERT ON animal_store.rewriting
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION animal_store.count_rewriting();

CREATE FUNCTION animal_store.count_keys() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE animal_store.state SET keys_revision = keys_revision + 1;
  RETURN NULL;
END $$;

-- Before the change, since who changes keys has the lock of the state first.
CREATE TRIGGER keys_changed BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON animal_store.api_key
  FOR EACH STATEMENT EXECUTE FUNCTION animal_store.count_keys();
