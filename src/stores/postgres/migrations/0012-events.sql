-- The feed: what changed, and in which order. The program writes an event in the transaction of its change, where `feed`
-- says so; changes by hand are not recorded.

CREATE TABLE animal_store.event (
  -- Of the last event that the row holds; its other events have the ids before.
  id bigint NOT NULL,
  type text NOT NULL,
  at bigint NOT NULL,
  -- How many events the row holds. Animals that are created in one transaction share a row: a row for each would double
  -- what the feed adds to a create. The arrays have an element for each event.
  events integer NOT NULL DEFAULT 1,
  -- The animals that changed, or that of the order that changed.
  animal_ids bigint[] NOT NULL,
  -- NULL for events of orders.
  names text[],
  category_ids bigint[],
  -- Of the animals, or of the order, after the change.
  statuses text[] NOT NULL,
  -- NULL for events of animals.
  order_id bigint,
  placed_at bigint
)
-- PostgreSQL would compress a row of more than 2 kB, which takes half of what the feed adds to a create.
WITH (toast_tuple_target = 8160);

-- Lists by type walk (type, id).
CREATE INDEX event_by_type ON animal_store.event (type, id);

-- Expired events are looked for by their time: the clock may have been ahead when the oldest were written.
CREATE INDEX event_by_time ON animal_store.event (at);

-- Made last, as those of animals and orders.
ALTER TABLE animal_store.event ADD PRIMARY KEY (id);

-- Refuses a row that no reader could be shown.
CREATE FUNCTION animal_store.assert_event() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.id > 0 AND NEW.events > 0
     AND cardinality(NEW.animal_ids) = NEW.events AND cardinality(NEW.statuses) = NEW.events
     AND (CASE WHEN NEW.type IN ('animal.created', 'animal.status_changed')
               THEN cardinality(NEW.names) = NEW.events AND cardinality(NEW.category_ids) = NEW.events
                    AND num_nonnulls(NEW.order_id, NEW.placed_at) = 0
               WHEN NEW.type IN ('order.placed', 'order.status_changed')
               THEN NEW.events = 1 AND num_nonnulls(NEW.names, NEW.category_ids) = 0
                    AND num_nulls(NEW.order_id, NEW.placed_at) = 0
          END)
  THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'the row % of events is malformed', NEW.id USING ERRCODE = 'check_violation';
END $$;

REVOKE EXECUTE ON FUNCTION animal_store.assert_event() FROM PUBLIC;

-- A trigger for the sessions of other programs rather than a check: PostgreSQL parses and plans the text of a check for
-- each statement, which took a third of what the feed adds to a create.
CREATE TRIGGER event_malformed BEFORE INSERT OR UPDATE ON animal_store.event FOR EACH ROW
  WHEN (current_setting('animal_store.appends', true) IS DISTINCT FROM 'on')
  EXECUTE FUNCTION animal_store.assert_event();

-- Ids are taken from this sequence under the lock of the feed, which is held until the commit: so events become visible in
-- the order of their ids, whatever changed. Locks are taken in the order `state`, `rewrite_lock`, feed. The last one is an
-- advisory lock, since its row would cost five times as much: see `lock_feed`.
CREATE SEQUENCE animal_store.event_id_seq CACHE 1 OWNED BY animal_store.event.id;

CREATE TABLE animal_store.feed (
  single boolean PRIMARY KEY DEFAULT true CHECK (single),
  -- Whether changes are recorded, for readers. Changed by `set_recording` alone.
  recording boolean NOT NULL DEFAULT false,
  -- A reader that has read no further than before this id has missed events: they were deleted for their age, or
  -- changes were not recorded for a time.
  expired_through bigint NOT NULL DEFAULT 0,
  -- Where the latest ids were given: see `server_identity`.
  server text
);

INSERT INTO animal_store.feed DEFAULT VALUES;

-- The same as `feed.recording`, for creates and for orders: each locks one of these rows in any case, and so reads its
-- latest version.
ALTER TABLE animal_store.state ADD COLUMN recording boolean NOT NULL DEFAULT false;
ALTER TABLE animal_store.rewrite_lock ADD COLUMN recording boolean NOT NULL DEFAULT false;

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
  PERFORM pg_advisory_xact_lock(hashtextextended('animal_store.feed', 0));
  SELECT recording, server INTO is_recording, known FROM animal_store.feed WHERE single;
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

-- For a transaction that has all the locks.
CREATE FUNCTION animal_store.set_recording(wanted boolean) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
  UPDATE animal_store.state SET recording = wanted WHERE single;
  UPDATE animal_store.rewrite_lock SET recording = wanted WHERE single;
  UPDATE animal_store.feed SET recording = wanted WHERE single;
$$;

-- Switches recording on or off. Under all the locks, so that no change that is under way ends without its events once
-- this has returned. Where it is switched on, changes went unrecorded before: every earlier position expires.
CREATE FUNCTION animal_store.record_events(wanted boolean) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM FROM animal_store.state WHERE single FOR UPDATE;
  PERFORM animal_store.lock_rewrites();
  IF animal_store.lock_feed() <> wanted THEN
    PERFORM animal_store.set_recording(wanted);
    UPDATE animal_store.feed SET expired_through = nextval('animal_store.event_id_seq') WHERE single AND wanted;
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
