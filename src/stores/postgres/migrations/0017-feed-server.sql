-- Each store says from its first commit on where the ids of its events are given. A standby that had a new store, and not yet
-- what the first instance noted there, gave ids again after its promotion.

SELECT pg_advisory_xact_lock(hashtextextended('animal_store.feed', 0));

-- In a store from before this transaction that may have happened: as on another server, its ids go on above those that were lost.
UPDATE animal_store.feed SET server = 'unknown'
 WHERE single AND server IS NULL
   AND EXISTS (SELECT FROM animal_store.migration WHERE number = 12 AND xmin <> pg_current_xact_id()::xid);

SELECT animal_store.lock_feed();
