-- A server that goes on from an earlier state, and has its keys changed there, must not come to a revision of the keys that it has
-- shown before. So the revision grows by a random step; a thousand million changes fit into 2^53.
CREATE OR REPLACE FUNCTION animal_store.count_keys() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  UPDATE animal_store.state SET keys_revision = keys_revision + 1 + floor(random() * 16777216)::bigint WHERE single;
  PERFORM animal_store.refuse_preparing();
  RETURN NULL;
END $$;
