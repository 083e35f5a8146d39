-- Counts the changes that a page or an animal that was read before does not outlive: see SQLite's migration of the
-- revision. Not in the row of the state, whose lock would keep creates waiting for whoever changes animals by hand.
CREATE TABLE animal_store.past (
  single boolean PRIMARY KEY DEFAULT true CHECK (single),
  revision bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

INSERT INTO animal_store.past DEFAULT VALUES;

CREATE FUNCTION animal_store.count_past() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE animal_store.past SET revision = revision + 1;
  RETURN NULL;
END $$;

CREATE TRIGGER past_rewritten AFTER UPDATE OR DELETE OR TRUNCATE ON animal_store.animal
  FOR EACH STATEMENT EXECUTE FUNCTION animal_store.count_past();

-- Sessions of this program take every id from the state, or look there first, and say so: what they add comes
-- behind all others. Of anybody else's that is not known.
CREATE TRIGGER past_inserted AFTER INSERT ON animal_store.animal
  FOR EACH STATEMENT WHEN (current_setting('animal_store.appends', true) IS DISTINCT FROM 'on')
  EXECUTE FUNCTION animal_store.count_past();

CREATE FUNCTION animal_store.count_keys() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE animal_store.state SET keys_revision = keys_revision + 1;
  RETURN NULL;
END $$;

-- Before the change: who changes keys has the lock of the state first.
CREATE TRIGGER keys_changed BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON animal_store.api_key
  FOR EACH STATEMENT EXECUTE FUNCTION animal_store.count_keys();
