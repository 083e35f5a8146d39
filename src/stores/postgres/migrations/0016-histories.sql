-- A server that goes on from an earlier state must not show again what it has shown before.

-- In the order in which creates and rewrites lock them.
LOCK TABLE animal_store.state IN ACCESS EXCLUSIVE MODE;
LOCK TABLE animal_store.rewrite_lock IN ACCESS EXCLUSIVE MODE;

-- A session that goes on with its machine's memory also goes on with its random numbers, and at another time.
ALTER TABLE animal_store.append_log ALTER COLUMN token SET DEFAULT random() * extract(epoch FROM clock_timestamp());
ALTER TABLE animal_store.rewrite_log ALTER COLUMN token SET DEFAULT random() * extract(epoch FROM clock_timestamp());

-- The revision of the keys has no log, so it grows by a random step; a thousand million changes fit into 2^53.
CREATE OR REPLACE FUNCTION animal_store.count_keys() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  UPDATE animal_store.state SET keys_revision = keys_revision + 1 + floor(random() * 16777216)::bigint WHERE single;
  PERFORM animal_store.refuse_preparing();
  RETURN NULL;
END $$;

-- Stores with few changes of keys would otherwise stand at the same small number.
UPDATE animal_store.state SET keys_revision = keys_revision + 1 + floor(random() * 16777216)::bigint WHERE single;
