-- The function now tells which creates are replays. The version before this one selects its columns by name, so both
-- serve beside each other.
DROP FUNCTION animal_store.add_retryable(
  text[], bigint[], text[], bigint[], text[], text[], bigint, bigint
);

-- Adds a batch of which some may be repeated. In a volatile function each statement sees what was
-- committed before it began, so what other instances stored while we waited for the lock is found.
CREATE FUNCTION animal_store.add_retryable(
  names text[], category_ids bigint[], statuses text[],
  owners bigint[], keys text[], digests text[], now_ms bigint, life_ms bigint
) RETURNS TABLE (id bigint, reused boolean, replayed boolean) LANGUAGE plpgsql AS $$
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
        replayed := NOT reused;
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
    replayed := false;
    RETURN NEXT;
  END LOOP;
  UPDATE animal_store.state SET last_animal_id = last_id, stock_revision = stock_revision + 1;
END $$;
