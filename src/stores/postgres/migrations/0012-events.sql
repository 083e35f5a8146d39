-- The feed: what changed, and in which order. The program writes an event in the transaction of its change, where `feed`
-- says so; changes by hand are not recorded.

CREATE TABLE animal_store.event (
  -- Of the last event that the row holds; its other events have the ids before.
  id bigint PRIMARY KEY CHECK (id > 0),
  type text NOT NULL,
  at bigint NOT NULL,
  -- How many events the row holds. Animals that are created in one transaction share a row: a row for each would double
  -- what the feed adds to a create. The arrays have an element for each event.
  events integer NOT NULL DEFAULT 1 CHECK (events > 0),
  -- The animals that changed, or that of the order that changed.
  animal_ids bigint[] NOT NULL,
  -- NULL for events of orders.
  names text[],
  category_ids bigint[],
  -- Of the animals, or of the order, after the change.
  statuses text[] NOT NULL,
  -- NULL for events of animals.
  order_id bigint,
  placed_at bigint,
  -- One check, since every row pays for each.
  CHECK (cardinality(animal_ids) = events AND cardinality(statuses) = events AND
         CASE WHEN type = 'animal.created' OR type = 'animal.status_changed'
              THEN coalesce(cardinality(names), 0) = events AND coalesce(cardinality(category_ids), 0) = events
                   AND num_nonnulls(order_id, placed_at) = 0
              WHEN type = 'order.placed' OR type = 'order.status_changed'
              THEN events = 1 AND num_nonnulls(names, category_ids) = 0 AND num_nulls(order_id, placed_at) = 0
              ELSE false END)
)
-- PostgreSQL would compress a row of more than 2 kB, which takes half of what the feed adds to a create.
WITH (toast_tuple_target = 8160);

-- Lists by type walk (type, id).
CREATE INDEX event_by_type ON animal_store.event (type, id);

-- Ids are taken from this sequence under the lock of `feed`, which is held until the commit: so events become visible in
-- the order of their ids, whatever changed. Locks are taken in the order `state`, `rewrite_lock`, `feed`.
CREATE SEQUENCE animal_store.event_id_seq CACHE 1 OWNED BY animal_store.event.id;

CREATE TABLE animal_store.feed (
  single boolean PRIMARY KEY DEFAULT true CHECK (single),
  -- Changed by `record_events` alone.
  recording boolean NOT NULL DEFAULT false,
  -- A reader that has read no further than before this id has missed events: they were deleted for their age, or
  -- changes were not recorded for a time.
  expired_through bigint NOT NULL DEFAULT 0,
  -- Where the latest ids were given: see `server_identity`.
  server text
);

INSERT INTO animal_store.feed DEFAULT VALUES;

-- The same as `feed.recording`, for creates: they lock this row in any case, and need no other where nothing is recorded.
ALTER TABLE animal_store.state ADD COLUMN recording boolean NOT NULL DEFAULT false;

-- The cluster, its timeline and the database. It changes when a standby is promoted, a backup is recovered to an earlier
-- time, or a dump is restored elsewhere: the events that readers saw last may then be lost. Empty where a managed service
-- does not tell.
CREATE FUNCTION animal_store.server_identity() RETURNS text
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN (SELECT format('%s/%s/%s', system_identifier, left(pg_walfile_name(pg_current_wal_lsn()), 8), oid)
            FROM pg_control_system(), pg_database WHERE datname = current_database());
EXCEPTION WHEN OTHERS THEN
  RETURN '';
END $$;

-- Locks out other events, and brings their sequence past every row that is there; returns whether changes are recorded.
--
-- On another server than before, it also brings the sequence past every id that may have been given and lost: to the
-- microseconds since 1970, which ids never reach by themselves with fewer than a million events a second. So no id is given
-- twice, and a reader's position in lost events is that of no event.
CREATE FUNCTION animal_store.lock_feed() RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  is_recording boolean;
  known text;
  present text := animal_store.server_identity();
BEGIN
  SELECT recording, server INTO is_recording, known FROM animal_store.feed WHERE single FOR UPDATE;
  PERFORM setval('animal_store.event_id_seq', highest)
     FROM (SELECT greatest((SELECT id FROM animal_store.event ORDER BY id DESC LIMIT 1), expired_through) AS highest
             FROM animal_store.feed WHERE single) events,
          animal_store.event_id_seq
    WHERE highest > 0 AND highest >= last_value;
  IF known IS DISTINCT FROM present THEN
    UPDATE animal_store.feed SET server = present WHERE single;
    IF known IS NOT NULL THEN
      -- The second bound is for clocks that run behind.
      PERFORM setval('animal_store.event_id_seq',
                     greatest((extract(epoch FROM clock_timestamp()) * 1000000)::bigint, last_value + 4294967296))
         FROM animal_store.event_id_seq;
    END IF;
  END IF;
  RETURN is_recording;
END $$;

-- Switches recording on or off. Under all the locks, so that no change that is under way ends without its events once
-- this has returned. Where it is switched on, changes went unrecorded before: every earlier position expires.
CREATE FUNCTION animal_store.record_events(wanted boolean) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM FROM animal_store.state WHERE single FOR UPDATE;
  PERFORM animal_store.lock_rewrites();
  IF animal_store.lock_feed() <> wanted THEN
    UPDATE animal_store.state SET recording = wanted WHERE single;
    UPDATE animal_store.feed
       SET recording = wanted,
           expired_through = CASE WHEN wanted THEN nextval('animal_store.event_id_seq') ELSE expired_through END
     WHERE single;
    -- Counts as a change, so that every instance looks at the feed again.
    INSERT INTO animal_store.rewrite_log DEFAULT VALUES;
  END IF;
END $$;

CREATE OR REPLACE FUNCTION animal_store.repair_sequences() RETURNS void
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
  PERFORM animal_store.lock_order_ids();
  PERFORM animal_store.lock_feed();
END $$;
